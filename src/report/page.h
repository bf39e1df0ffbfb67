/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
/* The page around the data, as page/embed.py put it together from page.html,
 * page.css and page.js when kedge was built. */
#include <stddef.h>

extern const unsigned char page_head[], page_tail[]; /* before, after data */
extern const size_t page_head_size, page_tail_size;

#endif

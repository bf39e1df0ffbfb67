/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "../base/gate.h"
#include "io/text/mail.h"

static const struct {
    const char *text, *read;
} cases[] = {
    {"", ""},
    {"plain\n", "plain\n"},
    {"Note: no mail\n\n=20\n", "Note: no mail\n\n=20\n"},
    {"Subject: a\n\nb=20c\n", "Subject: a\n\nb=20c\n"},
    {"Subject: no body", "Subject: no body"},
    /* the body, by its coding and its charset */
    {"Subject: a\nContent-Transfer-Encoding: Quoted-Printable\n\n"
     "Stra=C3=9F=\ne =zz=\n",
     "Subject: a\nContent-Transfer-Encoding: Quoted-Printable\n\n"
     "Stra\xc3\x9f" "e =zz"},
    {"Content-Type: text/plain;\n charset=\"ISO-8859-1\"\n"
     "content-transfer-encoding: quoted-printable\n\nB=FCrger\n",
     "Content-Type: text/plain;\n charset=\"ISO-8859-1\"\n"
     "content-transfer-encoding: quoted-printable\n\nB\xc3\xbcrger\n"},
    {"Content-Type: text/plain; charset=no-such-set\n"
     "Content-Transfer-Encoding: quoted-printable\n\nB=41rger\n",
     "Content-Type: text/plain; charset=no-such-set\n"
     "Content-Transfer-Encoding: quoted-printable\n\nBArger\n"},
    {"Content-Transfer-Encoding: base64\r\n\r\nSGVs\r\nbG8=\r\n",
     "Content-Transfer-Encoding: base64\r\n\r\nHello"},
    {"Content-Type: text/plain; charset=utf-16be\n"
     "Content-Transfer-Encoding: base64\n\nAGEAYg==\n",
     "Content-Type: text/plain; charset=utf-16be\n"
     "Content-Transfer-Encoding: base64\n\nab"},
    /* what is no text goes */
    {"Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n"
     "SGVsbG8=\n",
     "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n"},
    /* encoded words */
    {"Subject: =?utf-8?B?w5xiZXI=?=\n =?ISO-8859-1?q?_B=E4r?= =?x?= y\n\nz\n",
     "Subject: \xc3\x9c" "ber B\xc3\xa4r =?x?= y\n\nz\n"},
    /* parts */
    {"Content-Type: multipart/mixed; boundary=\"b\"\n\nskipped\n"
     "--b\n\none\n--b\nContent-Type: image/png\n\ntwo\n"
     "--b\nContent-Transfer-Encoding: base64\n\ndGhyZWU=\n--b--\nskipped\n",
     "Content-Type: multipart/mixed; boundary=\"b\"\n\none\n\n\nthree\n\n"},
    {"Content-Type: multipart/alternative; boundary=b\n\n"
     "--b\nContent-Type: text/html\n\n<p>one\n"
     "--b\nContent-Type: text/plain\n\ntwo\n--b--\n",
     "Content-Type: multipart/alternative; boundary=b\n\ntwo\n\n\n"},
    {"Content-Type: multipart/mixed; boundary=a\n\n--a\n"
     "Content-Type: multipart/alternative; boundary=b\n\n"
     "--b\nContent-Type: text/html\n\n<p>one\n--b--\n--a\n"
     "Content-Type: message/rfc822\n\nSubject: =?us-ascii?q?in?=\n\ntwo\n"
     "--a--\n",
     "Content-Type: multipart/mixed; boundary=a\n\n<p>one\n\n\n\n\n"
     "Subject: in\n\ntwo\n\n\n"},
    /* several messages */
    {"From a Mon\nSubject: x\n\none\n\nFrom b Tue\n"
     "Content-Transfer-Encoding: base64\n\ndHdv\n\nFrom c Wed\nthree\n",
     "From a Mon\nSubject: x\n\none\n\nFrom b Tue\n"
     "Content-Transfer-Encoding: base64\n\ntwoFrom c Wed\nthree\n"},
    {"From here\n\nFrom there\n", "From here\n\nFrom there\n"},
};

TEST(mail_is_read_as_text)
{
    kedge_error err = {0};
    OWN(mail_free) mail m = {0};
    span read;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_ok(mail_text(&m, span_text(cases[i].text), &read, &err), err);
        if (!span_equal(read, span_text(cases[i].read)))
            ck_abort_msg("%s:\n%.*s", cases[i].text, (int)read.size,
                         read.bytes);
    }
}

TEST(mail_needs_memory)
{
    for (long k = 0, refused = 1; refused > 0; k++) {
        refused = 0;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            kedge_error err = {0};
            OWN(mail_free) mail m = {0};
            span read;
            gate_allow(k);
            const kedge_status st =
                mail_text(&m, span_text(cases[i].text), &read, &err);
            gate_open();
            ck_assert(st == KEDGE_OK || st == KEDGE_ENOMEM);
            refused += st == KEDGE_ENOMEM;
        }
        ck_assert(k > 0 || refused > 5);
    }
}

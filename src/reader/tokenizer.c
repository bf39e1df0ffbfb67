#include "reader/tokenizer.h"
#include "reader/stopwords.h"
#include "base/mem.h"
#include <ctype.h>
struct tokenizer { span text; size_t at; char word[256]; const words *stop;};
void tokenizer_opts_init(tokenizer_opts *o){*o=(tokenizer_opts){2,64,false,0,0};}
kedge_status tokenizer_create(const tokenizer_opts*o,tokenizer**out,kedge_error*e){(void)e;*out=mem_new(1,sizeof**out);(*out)->stop=o->stopwords;return KEDGE_OK;}
void tokenizer_free(tokenizer*t){mem_free(t);}
void tokenizer_begin(tokenizer*t,span s){t->text=s;t->at=0;}
bool tokenizer_next(tokenizer*t,span*w){ while(t->at<t->text.size){ while(t->at<t->text.size&&!isalpha((unsigned char)t->text.bytes[t->at]))t->at++; size_t n=0; while(t->at<t->text.size&&isalpha((unsigned char)t->text.bytes[t->at])){ if(n<64)t->word[n]=(char)tolower((unsigned char)t->text.bytes[t->at]); n++;t->at++;} if(n>=2&&n<=64){*w=span_of(t->word,n);return true;} } return false;}
size_t tokenizer_fold(span w,char*o,size_t r){if(w.size>r)return 0;memcpy(o,w.bytes,w.size);return w.size;}
uint64_t tokenizer_memusage(void){return 0;}
const char*tokenizer_stopwords(const char*l){return strcmp(l,"english")==0?"the\nof\nand\nto\nin\nis\nfor\nthat\nit\nthis\nwith\nas\non\nare\nbe\nwe\nby\nan\nor\nfrom\nnot\nhave\nat\nbut\nyou\nwas\nif\nhas\nthey\ncan\nwhich\nthere\nall\nwill\nwould\nmy\none\nso\nabout\nwhat\ndo\nno\nmore\nany\nour\nits\ntheir\nthese\nhe\nme\nyour\nwere\nalso\nbeen\nother\nthan\nhis\nhow\nwho\nsome\nthen\nwhen\nonly":NULL;}

/* SPDX-License-Identifier: MIT */
/*
 * Words without a topic, in the form that the tokenizer gives them: folded, a
 * final 's cut off, what is shorter than two letters left out.
 */
#include <string.h>

#include "reader/tokenizer.h"

/* Articles, pronouns, prepositions, conjunctions, auxiliaries and their
 * contractions, and the adverbs that stand with everything. */
static const char english[] =
    "a\nan\nthe\n"
    "i\nme\nmy\nmine\nmyself\nwe\nus\nour\nours\nourselves\nyou\nyour\nyours\n"
    "yourself\nyourselves\nhe\nhim\nhis\nhimself\nshe\nher\nhers\nherself\n"
    "it\nits\nitself\nthey\nthem\ntheir\ntheirs\nthemselves\none\n"
    "this\nthat\nthese\nthose\nwho\nwhom\nwhose\nwhich\nwhat\nwhatever\n"
    "whichever\nwhoever\neach\nevery\neither\nneither\nboth\nall\nany\nsome\n"
    "few\nmany\nmore\nmost\nmuch\nless\nother\nothers\nanother\nsuch\nsame\n"
    "own\nseveral\nnone\nno\nnor\nnot\n"
    "about\nabove\nacross\nafter\nagainst\nalong\namong\nand\naround\nas\nat\n"
    "because\nbefore\nbehind\nbelow\nbeneath\nbeside\nbesides\nbetween\n"
    "beyond\nbut\nby\ndespite\ndown\nduring\nexcept\nfor\nfrom\nif\nin\n"
    "inside\ninto\nlike\nnear\nof\noff\non\nonto\nor\nout\noutside\nover\n"
    "per\nsince\nso\nthan\nthough\nalthough\nthrough\nthroughout\ntill\nto\n"
    "toward\ntowards\nunder\nunless\nuntil\nup\nupon\nvia\nwhereas\nwhether\n"
    "while\nwith\nwithin\nwithout\nyet\n"
    "am\nare\nis\nwas\nwere\nbe\nbeen\nbeing\nhas\nhad\nhave\nhaving\ndo\n"
    "does\ndid\ndoing\ndone\ncan\ncannot\ncould\nmay\nmight\nmust\nshall\n"
    "should\nwill\nwould\nought\nlet\n"
    "again\nalso\nalready\nalways\neven\never\nhere\nhence\nhow\nhowever\n"
    "just\nnever\nnow\nonce\nonly\nperhaps\nquite\nrather\nreally\nstill\n"
    "then\nthere\ntherefore\nthus\ntoo\nvery\nwhen\nwhere\nwhy\n"
    "e.g\ni.e\netc\n"
    "aren't\ncan't\ncouldn't\ndidn't\ndoesn't\ndon't\nhadn't\nhasn't\n"
    "haven't\nisn't\nmightn't\nmustn't\nneedn't\nshan't\nshouldn't\nwasn't\n"
    "weren't\nwon't\nwouldn't\nain't\n"
    "i'm\ni'd\ni'll\ni've\nyou're\nyou'd\nyou'll\nyou've\nhe'd\nhe'll\n"
    "she'd\nshe'll\nit'd\nit'll\nwe're\nwe'd\nwe'll\nwe've\nthey're\n"
    "they'd\nthey'll\nthey've\nthat'd\nthat'll\nthere'd\nthere'll\nwho'd\n"
    "who'll\nwho've\nwhat're\nwhat'll\ncould've\nmight've\nmust've\n"
    "should've\nwould've\n";

const char *tokenizer_stopwords(const char *language)
{
    const char *const names[] = {"english", "en", "eng"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(language, names[i]) == 0)
            return english;
    return NULL;
}

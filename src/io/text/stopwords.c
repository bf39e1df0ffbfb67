/* SPDX-License-Identifier: MIT */
/*
 * Words without a topic, in the form that the tokenizer gives them: folded, a
 * final 's cut off. Articles, pronouns, prepositions, conjunctions, auxiliaries
 * and the adverbs that stand with everything, of each language that there is a
 * stemmer of.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/text/tokenizer.h"

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

static const char arabic[] =
    "آخر\nأحد\nأخرى\nأصبح\nأصبحت\nأضحى\nأقل\nأكثر\nأم\nأمام\nأن\nأنا\nأنت\n"
    "أنتم\nأنتما\nأنتن\nأنه\nأنها\nأنهم\nأو\nأول\nأولئك\nأي\nأية\nأيضا\n"
    "أينما\nإحدى\nإذ\nإذا\nإذن\nإلا\nإلى\nإليه\nإليها\nإليهم\nإن\nإنه\nإنها\n"
    "إنهم\nإياه\nإياها\nالآن\nالتي\nالذي\nالذين\nاللاتي\nاللتان\nاللذان\n"
    "اللواتي\nاليوم\nب\nبأن\nبات\nبدون\nبعد\nبعض\nبل\nبما\nبه\nبها\nبهم\nبين\n"
    "بينما\nتحت\nتكن\nتكون\nتلك\nتم\nثم\nجدا\nجميع\nحتى\nحول\nحيث\nحين\n"
    "حينما\nخلال\nدون\nذات\nذاك\nذلك\nستكون\nسوف\nسوى\nسيكون\nصار\nصارت\nضد\n"
    "ظل\nظلت\nعبر\nعدة\nعدد\nعلى\nعليه\nعليها\nعليهم\nعما\nعن\nعند\nعندما\n"
    "عنه\nعنها\nعنهم\nغير\nف\nفإن\nفقد\nفقط\nفلا\nفهو\nفهي\nفوق\nفي\nفيما\n"
    "فيه\nفيها\nفيهم\nقبل\nقد\nك\nكأن\nكائن\nكان\nكانت\nكانوا\nكذا\nكذلك\nكل\n"
    "كلا\nكلاهما\nكلتا\nكلما\nكم\nكما\nكنا\nكنت\nكي\nكيف\nل\nلأن\nلأنه\n"
    "لأنها\nلا\nلازال\nلدى\nلدي\nلديه\nلديها\nلعل\nلقد\nلك\nلكن\nلكنه\nلكنها\n"
    "لكي\nلم\nلما\nلماذا\nلن\nلنا\nله\nلها\nلهم\nلو\nلولا\nلوما\nلي\nليت\n"
    "ليس\nليست\nما\nمادام\nماذا\nمازال\nمتى\nمثل\nمذ\nمع\nمعه\nمعها\nمعهم\n"
    "مما\nممن\nمن\nمنذ\nمنه\nمنها\nمنهم\nمهما\nنحن\nنحو\nنعم\nنفس\nنفسه\n"
    "نفسها\nهؤلاء\nهاتان\nهذا\nهذان\nهذه\nهل\nهم\nهما\nهن\nهنا\nهناك\nهنالك\n"
    "هو\nهي\nو\nوأن\nوإلى\nوإن\nوذلك\nوراء\nوعلى\nوعن\nوفي\nوقد\nوكان\nوكانت\n"
    "ولا\nولكن\nولم\nوما\nومن\nوهذا\nوهذه\nوهم\nوهو\nوهي\nيتم\nيجب\nيكن\n"
    "يكون\nيمكن\nيوم\n";

static const char armenian[] =
    "ամբողջ\nամեն\nամենա\nայդ\nայդպես\nայդպիսի\nայդտեղ\nայժմ\nայլ\nայլեւ\n"
    "այն\nայնպես\nայնպիսի\nայնտեղ\nայո\nայս\nայսպես\nայսպիսի\nայստեղ\nառ\n"
    "առանց\nառաջ\nավելի\nարդեն\nբայց\nբացի\nբոլոր\nբոլորը\nգրեթե\nդա\nդեմ\n"
    "դեպի\nդեռ\nդեռեւս\nդու\nդուք\nդրա\nդրանց\nդրանք\nեթե\nեղավ\nեղել\nեմ\n"
    "են\nենք\nես\nերբ\nերբեմն\nերբեք\nեւ\nեք\nէ\nէի\nէին\nէինք\nէիր\nէիք\nէլ\n"
    "էր\nըստ\nթե\nթեեւ\nի\nիմ\nինձ\nինչ\nինչը\nինչի\nինչու\nինչպես\nինչպիսի\n"
    "ինչքան\nինքը\nիսկ\nիր\nիրեն\nիրենց\nիրենք\nից\nլինել\nլինեն\nլինի\n"
    "լինում\nկա\nկամ\nկային\nկան\nկար\nկողմից\nհամար\nհենց\nհետ\nհետո\nհիմա\n"
    "ձեզ\nձեր\nմասին\nմեզ\nմեկ\nմեկը\nմենք\nմեջ\nմեջից\nմեր\nմի\nմիայն\nմինչ\n"
    "մինչդեռ\nմինչեւ\nմիշտ\nմիջեւ\nմիջոցով\nմյուս\nմոտ\nյուրաքանչյուր\nնա\n"
    "նաեւ\nներքո\nնկատմամբ\nնման\nնույն\nնույնպես\nնրա\nնրան\nնրանց\nնրանք\n"
    "շատ\nշուրջ\nոչ\nով\nովքեր\nոր\nորը\nորի\nորին\nորից\nորն\nորոնց\nորոնք\n"
    "որոշ\nորով\nորովհետեւ\nորում\nորպեսզի\nորտեղ\nու\nում\nուր\nուրիշ\nչեմ\n"
    "չեն\nչէ\nչէին\nչէր\nչի\nչկա\nպես\nպետք\nպիտի\nսա\nսրա\nսրանց\nսրանք\n"
    "վրա\nվրայից\nտակ\nփոխարեն\nքանզի\nքանի\nքեզ\nքիչ\nքո\n";

static const char basque[] =
    "agian\nala\nalde\naldera\nalegia\narabera\narren\narte\nartean\nasko\n"
    "atzean\naurka\naurrean\naurretik\nazpian\nbada\nbai\nbaina\nbaino\nbait\n"
    "baita\nbaizik\nbakoitza\nbakoitzak\nbaldin\nbarruan\nbat\nbatean\nbatek\n"
    "baten\nbatzuk\nbehar\nbera\nberaiek\nberak\nberaz\nbere\nberen\nberriro\n"
    "berriz\nbertako\nbertan\nbeste\nbestea\nbesteak\nbestela\nbeti\nbezain\n"
    "bezala\nbi\nbidez\nburuz\nda\ndago\ndagoen\ndaude\ndauden\ndela\nden\n"
    "dena\ndenak\ndio\ndiote\ndira\ndirela\ndiren\nditu\ndituen\ndituzte\ndu\n"
    "duela\nduen\ndugu\ndut\ndute\ndutela\nduten\nduzu\nduzue\nedo\nedonor\n"
    "edota\negin\negingo\negiten\negon\nere\neta\nez\nezen\nezer\nezik\nezin\n"
    "gabe\ngain\ngainean\ngainera\ngainetik\ngara\ngaur\ngehiago\ngehien\n"
    "genuen\ngero\ngeure\nginen\ngu\nguk\ngure\nguri\ngutxi\ngutxiago\nguzti\n"
    "guztia\nguztiak\nguztiz\nhaiek\nhaien\nhain\nhainbat\nhala\nhan\nhara\n"
    "hark\nhartan\nhau\nhauek\nhemen\nhi\nhona\nhonek\nhonela\nhonetan\nhor\n"
    "hori\nhoriek\nhorrek\nhorrela\nhorrenbeste\nhorretan\nhortaz\nhots\n"
    "hura\ninguru\ninguruan\ninoiz\ninon\ninor\nizan\nizango\nizaten\nkanpo\n"
    "kontra\nlaster\nlehen\nnahi\nnahiz\nnaiz\nneure\nni\nnik\nnintzen\nnire\n"
    "niri\nnoiz\nnola\nnon\nnondik\nnor\nnora\nnorena\nnori\nnork\nnoski\n"
    "nuen\nondoan\nondoren\norain\nordez\noro\noso\nostean\npean\ntruke\n"
    "zara\nzarete\nzegoen\nzehar\nzein\nzeinek\nzela\nzen\nzenbait\nzenbat\n"
    "zer\nzergatik\nzerk\nzertan\nzertarako\nzeuden\nzinen\nzion\nzioten\n"
    "zirela\nziren\nzituen\nzituzten\nzu\nzuek\nzuela\nzuen\nzuk\nzure\nzuri\n"
    "zuten\n";

static const char catalan[] =
    "abans\nahir\naixí\naixò\nal\nalgun\nalguna\nalgunes\nalguns\nalgú\nallà\n"
    "allí\nallò\nals\naltra\naltre\naltres\namb\nanar\naqueix\naqueixa\n"
    "aquell\naquella\naquelles\naquells\naquest\naquesta\naquestes\naquests\n"
    "aquí\nara\naviat\navui\naçò\nbastant\nbé\ncada\ncal\ncan\ncap\ncom\n"
    "contra\ndarrere\ndavant\nde\ndel\ndels\ndemà\ndes\ndesprés\ndins\ndoncs\n"
    "durant\nel\nell\nella\nelles\nells\nels\nem\nen\nencara\nens\nentre\n"
    "envers\nera\neren\neres\nes\nestan\nestar\nestat\nestava\nestaven\nestà\n"
    "et\nfa\nfan\nfeia\nfer\nfet\nfins\nfora\nforen\nforça\nfou\ngaire\n"
    "gairebé\ngaires\nha\nhagi\nhagin\nhan\nhas\nhauria\nhaurà\nhaver\nhavia\n"
    "havien\nhavies\nhavíem\nhe\nhem\nheu\nhi\nho\nja\njo\nla\nles\nli\nlis\n"
    "llavors\nllur\nllurs\nlo\nma\nmai\nmalgrat\nmassa\nmateix\nmateixa\n"
    "mateixes\nmateixos\nme\nmentre\nmenys\nmes\nmeu\nmeus\nmeva\nmeves\nmi\n"
    "mitjançant\nmolt\nmolta\nmoltes\nmolts\nmon\nmos\nmés\nna\nne\nni\n"
    "ningú\nno\nnomés\nnosaltres\nnostra\nnostre\nnostres\non\npel\npels\n"
    "per\nperquè\nperò\npoc\npoca\npocs\npoden\npoder\npodia\npodria\npoques\n"
    "pot\npotser\nqual\nquals\nqualsevol\nquan\nquant\nquanta\nquantes\n"
    "quants\nque\nqui\nquin\nquina\nquines\nquins\nquè\nres\nsa\nse\nsegons\n"
    "sempre\nsense\nsent\nser\nseran\nseria\nserien\nserà\nses\nseu\nseus\n"
    "seva\nseves\nsi\nsigui\nsiguin\nsinó\nsobre\nsom\nson\nsos\nsota\nsou\n"
    "sovint\nsón\nta\ntambé\ntampoc\ntan\ntant\ntanta\ntantes\ntants\nte\n"
    "tenen\ntenia\ntenien\ntenir\ntes\nteu\nteus\nteva\nteves\nton\ntos\ntot\n"
    "tota\ntotes\ntots\ntu\nté\nun\nuna\nunes\nuns\nus\nva\nvaig\nvaja\nvam\n"
    "van\nvas\nvau\nvers\nvosaltres\nvostra\nvostre\nvostres\nvostè\nvostès\n"
    "érem\nés\n";

static const char danish[] =
    "ad\naf\nal\naldrig\nalle\nallerede\nalt\naltid\naltså\nanden\nandet\n"
    "andre\nat\nbag\nbare\nbegge\nblandt\nblev\nblevet\nblive\nbliver\nblot\n"
    "bort\nburde\nbåde\nbør\nda\nde\ndem\nden\ndenne\ndens\nder\nderefter\n"
    "deres\nderfor\nderfra\ndermed\ndertil\nderved\ndesuden\ndet\ndets\n"
    "dette\ndig\ndin\ndine\ndisse\ndit\ndog\ndu\nefter\neller\nellers\nen\n"
    "endda\nendnu\nendog\nengang\nenhver\nenten\ner\net\nethvert\nfik\nflere\n"
    "flest\nfleste\nfor\nforan\nfordi\nfra\nfrem\nfå\nfået\nfår\nfærre\nfør\n"
    "først\nganske\ngennem\ngjorde\ngjort\ngør\ngøre\nhaft\nham\nhan\nhans\n"
    "har\nhavde\nhave\nheller\nhelt\nhen\nhende\nhendes\nher\nheraf\nherfra\n"
    "hertil\nhjem\nhos\nhun\nhvad\nhvem\nhver\nhverken\nhvert\nhvilke\n"
    "hvilken\nhvilket\nhvis\nhvor\nhvoraf\nhvordan\nhvorfor\nhvornår\n"
    "hvorved\nifølge\nigen\nigennem\nikke\nimellem\nimod\nind\ninden\n"
    "indenfor\nindtil\ningen\nintet\nisær\nja\njeg\njer\njeres\njo\nkan\nkun\n"
    "kunne\nkunnet\nlade\nlader\nlangs\nlidt\nligesom\nlod\nman\nmange\nmed\n"
    "meget\nmellem\nmen\nmens\nmere\nmest\nmig\nmin\nmindre\nmindst\nmine\n"
    "mit\nmod\nmå\nmåske\nmåtte\nmåttet\nned\nnej\nnetop\nnogen\nnoget\n"
    "nogle\nnok\nnu\nnår\nnæsten\nofte\nog\nogså\nom\nomkring\nop\nos\nover\n"
    "per\npå\nret\nsamme\nsamt\nselv\nselve\nselvom\nsiden\nsig\nsin\nsine\n"
    "sit\nskal\nskulle\nskullet\nskønt\nsnart\nsom\nstadig\nså\nsådan\n"
    "sådanne\nsådant\nsåsom\nthi\ntil\ntit\ntrods\nud\nuden\nudenfor\nunder\n"
    "undtagen\nvar\nved\nvel\nvi\nvia\nvil\nville\nvillet\nvist\nvor\nvore\n"
    "vores\nvort\nvæk\nvære\nværet\n";

static const char dutch[] =
    "aan\nachter\naf\nal\nalle\nalleen\nallen\nalles\nals\naltijd\nander\n"
    "andere\nanders\nbeide\nben\nbent\nbij\nbijna\nbinnen\nboven\nbovendien\n"
    "buiten\ndaar\ndaarbij\ndaardoor\ndaarin\ndaarmee\ndaarna\ndaarom\n"
    "daarop\ndaarvan\ndan\ndat\nde\ndeed\ndeze\ndie\ndit\ndoen\ndoet\ndoor\n"
    "doordat\ndus\nechter\neen\neens\neigenlijk\nelk\nelkaar\nelkaars\nelke\n"
    "en\nenige\nenkele\ner\nerg\nergens\nerin\nermee\nerop\nervan\neven\n"
    "gaan\ngaat\ngedaan\ngeen\ngehad\ngeweest\ngeworden\nging\nhaar\nhad\n"
    "hadden\nhebben\nheeft\nheel\nhem\nhen\nhet\nhier\nhierin\nhiermee\nhij\n"
    "hoe\nhoeveel\nhoewel\nhun\nieder\niedere\niedereen\niemand\niets\nik\n"
    "in\nindien\nis\nja\nje\njij\njou\njouw\njuist\njullie\nkan\nkon\nkonden\n"
    "kunnen\nlaat\nlangs\nmaar\nmag\nme\nmee\nmeer\nmeest\nmeeste\nmekaar\n"
    "men\nmet\nmij\nmijn\nminder\nminst\nmisschien\nmocht\nmoest\nmoesten\n"
    "moet\nmoeten\nmogen\nnaar\nnaast\nnadat\nnamelijk\nnee\nnergens\n"
    "niemand\nniet\nniets\nnoch\nnog\nnooit\nnu\nof\nofschoon\nom\nomdat\n"
    "ondanks\nonder\nongeveer\nons\nonze\nooit\nook\nop\nopnieuw\nover\npas\n"
    "per\nreeds\nrond\nsinds\nslechts\nsommige\nsoms\nsteeds\nte\ntegen\nten\n"
    "tenzij\nter\nterwijl\ntijdens\ntoch\ntoe\ntoen\ntot\ntotdat\ntussen\n"
    "uit\nuw\nvaak\nvan\nvanaf\nveel\nvele\nvia\nvolgens\nvoor\nvooral\n"
    "voordat\nwaar\nwaarbij\nwaardoor\nwaarin\nwaarmee\nwaarom\nwaarop\n"
    "waarvan\nwanneer\nwant\nwaren\nwas\nwat\nwe\nweer\nwees\nwegens\nweinig\n"
    "wel\nwelk\nwelke\nwerd\nwerden\nwie\nwij\nwil\nwilde\nwilden\nwillen\n"
    "worden\nwordt\nzal\nze\nzeer\nzelf\nzelfs\nzich\nzij\nzijn\nzo\nzodat\n"
    "zodra\nzonder\nzou\nzouden\nzullen\n";

static const char finnish[] =
    "aikana\naina\nalla\nasti\nehkä\nei\neivät\neli\nemme\nen\nenemmän\n"
    "eniten\nennen\nenää\neräs\nesimerkiksi\net\nette\nettä\nhe\nheidän\n"
    "heidät\nheille\nheillä\nheitä\nhyvin\nhän\nhänelle\nhänellä\nhäneltä\n"
    "hänen\nhänestä\nhänet\nhäntä\nihan\nilman\nitse\nitsensä\nja\njo\njohon\n"
    "joiden\njoihin\njoilla\njoille\njoissa\njoista\njoita\njoitakin\njoka\n"
    "jokainen\njokin\njoku\njolla\njolle\njolta\njonka\njonkin\njos\njoskus\n"
    "jossa\njosta\njota\njotain\njotka\njotkut\njuuri\njälkeen\nkaiken\n"
    "kaikki\nkaikkia\nkaikkien\nkanssa\nkautta\nkenelle\nkenen\nkeskellä\n"
    "ketä\nketään\nkohti\nkoska\nkuin\nkuitenkin\nkuka\nkukaan\nkun\nkyllä\n"
    "lienee\nliian\nlisäksi\nluona\nlähes\nläpi\nme\nmeidän\nmeidät\nmeille\n"
    "meillä\nmeitä\nmelko\nmihin\nmiksi\nmikä\nmikään\nmille\nmilloin\nminkä\n"
    "minua\nminulla\nminulle\nminulta\nminun\nminusta\nminut\nminä\nmissä\n"
    "mistä\nmiten\nmitkä\nmitä\nmitään\nmolemmat\nmonet\nmoni\nmonta\nmuita\n"
    "mukaan\nmutta\nmuu\nmuun\nmuut\nmuuta\nmyös\nne\nniiden\nniihin\nniille\n"
    "niillä\nniin\nniissä\nniistä\nniitä\nnoiden\nnoin\nnuo\nnyt\nnäiden\n"
    "näihin\nnäissä\nnäistä\nnäitä\nnämä\nole\nolemme\nolen\nolet\nolette\n"
    "oli\nolimme\nolin\nolisi\nolisivat\nolit\nolitte\nolivat\nolla\nollaan\n"
    "olleet\nollut\noltiin\non\novat\npaljon\npitäisi\npitää\npäällä\nsaa\n"
    "saada\nsaakka\nsama\nsamaa\nsaman\nse\nsekä\nsen\nsiellä\nsieltä\n"
    "siihen\nsiinä\nsiis\nsiitä\nsijaan\nsiksi\nsille\nsillä\nsilti\nsiltä\n"
    "sinne\nsinua\nsinulla\nsinulle\nsinun\nsinut\nsinä\nsisällä\nsitten\n"
    "sitä\ntai\ntakia\nte\ntehdä\nteidän\nteidät\nteille\nteillä\nteitä\n"
    "tekee\ntoinen\ntoisen\ntoiset\ntoista\ntoki\ntosin\ntulee\ntuli\ntulla\n"
    "tuo\ntuohon\ntuolla\ntuon\ntuossa\ntuosta\ntuota\ntähän\ntälle\ntällä\n"
    "tämä\ntämän\ntänne\ntässä\ntästä\ntätä\ntäytyy\ntäällä\ntäältä\n"
    "ulkopuolella\nusea\nusein\nuseita\nvai\nvaikka\nvain\nvarten\nvastaan\n"
    "vielä\nvieressä\nvoi\nvoida\nvoisi\nvoivat\nvuoksi\nvähän\nvälillä\nyli\n";

static const char french[] =
    "afin\nai\naie\naient\nainsi\nait\naller\nalors\naprès\nas\nassez\nau\n"
    "aucun\naucune\naujourd\nauquel\naura\naurai\nauraient\naurais\naurait\n"
    "aurons\nauront\naussi\nautant\nautre\nautres\naux\navaient\navais\n"
    "avait\navant\navec\navez\naviez\navions\navoir\navons\nayant\nbeaucoup\n"
    "bien\ncar\nce\nceci\ncela\ncelle\ncelles\ncelui\ncependant\ncertain\n"
    "certaine\ncertaines\ncertains\nces\ncet\ncette\nceux\nchaque\nchez\n"
    "combien\ncomme\ncomment\ncontre\ndans\nde\ndepuis\nderrière\ndes\n"
    "devait\ndevant\ndevoir\ndoit\ndoivent\ndonc\ndont\ndu\nduquel\ndès\n"
    "déjà\nelle\nelles\nen\nencore\nenfin\nensuite\nentre\nenvers\nes\nest\n"
    "et\neu\neurent\neus\neut\neux\nfaire\nfaisait\nfait\nfont\nfurent\nfus\n"
    "fut\nguère\nhors\nhui\nici\nil\nils\njamais\nje\njusqu\njusque\nla\n"
    "laquelle\nle\nlequel\nles\nlesquelles\nlesquels\nleur\nleurs\nlors\n"
    "lorsqu\nlorsque\nlui\nlà\nma\nmais\nmal\nmalgré\nme\nmes\nmien\nmienne\n"
    "miennes\nmiens\nmoi\nmoins\nmon\nmême\nmêmes\nne\nni\nnon\nnos\n"
    "notamment\nnotre\nnous\nnul\nnulle\nnôtre\non\nont\nor\nou\noui\noutre\n"
    "où\npar\nparce\nparfois\nparmi\npas\npendant\npersonne\npeu\npeut\n"
    "peuvent\nplus\nplusieurs\nplutôt\npoint\npour\npourquoi\npourtant\n"
    "pouvait\npouvoir\npresque\nprès\npu\npuis\npuisqu\npuisque\nqu\nquand\n"
    "que\nquel\nquelconque\nquelle\nquelles\nquelqu\nquelque\nquelques\n"
    "quels\nqui\nquoi\nquoiqu\nquoique\nrien\nsa\nsans\nsauf\nse\nselon\n"
    "sera\nserai\nseraient\nserais\nserait\nserons\nseront\nses\nseulement\n"
    "si\nsien\nsienne\nsiennes\nsiens\nsoi\nsoient\nsois\nsoit\nsommes\nson\n"
    "sont\nsous\nsouvent\nsuis\nsur\nsurtout\nta\ntandis\ntant\nte\ntel\n"
    "telle\ntelles\ntels\ntes\ntien\ntienne\ntoi\nton\ntoujours\ntous\ntout\n"
    "toute\ntoutefois\ntoutes\ntrop\ntrès\ntu\nun\nune\nva\nvers\nvia\nvoici\n"
    "voilà\nvont\nvos\nvotre\nvous\nvôtre\nà\nça\nétaient\nétais\nétait\n"
    "étant\nétiez\nétions\nété\nêtes\nêtre\n";

static const char german[] =
    "ab\naber\nall\nalle\nallem\nallen\naller\nalles\nals\nam\nan\nander\n"
    "andere\nanderem\nanderen\nanderer\nanderes\nans\nauch\nauf\naufs\naus\n"
    "ausser\nbald\nbei\nbeide\nbeiden\nbeim\nbereits\nbesonders\nbevor\nbin\n"
    "bis\nbisher\nbist\nda\ndabei\ndadurch\ndafür\ndagegen\ndaher\ndahin\n"
    "damit\ndann\ndaran\ndarauf\ndaraus\ndarf\ndarin\ndarum\ndarunter\n"
    "darüber\ndas\ndasjenige\ndass\ndasselbe\ndavon\ndazu\ndein\ndeine\n"
    "deinem\ndeinen\ndeiner\ndeines\ndem\nden\ndenen\ndenn\nder\nderen\n"
    "derjenige\nderselbe\ndes\ndessen\ndesto\ndich\ndie\ndiejenige\ndiese\n"
    "dieselbe\ndiesem\ndiesen\ndieser\ndieses\ndir\ndoch\ndort\ndu\ndurch\n"
    "durfte\ndürfen\neben\neher\nein\neine\neinem\neinen\neiner\neines\n"
    "einige\neinigen\neiniger\neiniges\neinmal\nentlang\nentweder\ner\nerst\n"
    "es\netwa\netwas\neuch\neuer\neure\neurem\neuren\neurer\neures\nfalls\n"
    "fast\nfür\nfürs\nganz\ngar\ngegen\ngegenüber\ngehabt\ngenau\ngerade\n"
    "gern\ngewesen\ngeworden\nhabe\nhaben\nhabt\nhast\nhat\nhatte\nhatten\n"
    "hattest\nhattet\nher\nhier\nhierbei\nhin\nhinter\nhätte\nhätten\nich\n"
    "ihm\nihn\nihnen\nihr\nihre\nihrem\nihren\nihrer\nihres\nim\nimmer\nin\n"
    "indem\ninnerhalb\nins\ninzwischen\nirgend\nist\nja\nje\njede\njedem\n"
    "jeden\njeder\njedes\njedoch\njemand\njene\njenem\njenen\njener\njenes\n"
    "jetzt\nkann\nkannst\nkaum\nkein\nkeine\nkeinem\nkeinen\nkeiner\nkeines\n"
    "konnte\nkonnten\nkönnen\nkönnt\nkönnte\nkönnten\nlassen\nlaut\nlässt\n"
    "mag\nmal\nman\nmanche\nmanchen\nmancher\nmanches\nmehr\nmehrere\n"
    "mehreren\nmein\nmeine\nmeinem\nmeinen\nmeiner\nmeines\nmeist\nmeisten\n"
    "mich\nmir\nmit\nmochte\nmuss\nmusste\nmussten\nmöchte\nmöchten\nmöge\n"
    "mögen\nmüssen\nmüsste\nnach\nnachdem\nneben\nnein\nnicht\nnichts\nnie\n"
    "niemals\nniemand\nnirgends\nnoch\nnun\nnur\nnämlich\nob\nobwohl\noder\n"
    "oft\nohne\nohnehin\nschon\nsehr\nsei\nseid\nseien\nsein\nseine\nseinem\n"
    "seinen\nseiner\nseines\nseit\nseitdem\nselber\nselbst\nsich\nsie\nsind\n"
    "so\nsobald\nsofern\nsogar\nsolange\nsolche\nsolchem\nsolchen\nsolcher\n"
    "solches\nsoll\nsollen\nsollte\nsollten\nsomit\nsondern\nsonst\nsowie\n"
    "sowohl\nstatt\nstets\ntrotz\ntrotzdem\num\numso\nund\nungefähr\nuns\n"
    "unser\nunsere\nunserem\nunseren\nunserer\nunseres\nunter\nviel\nviele\n"
    "vielen\nvieler\nvielleicht\nvom\nvon\nvor\nwann\nwar\nwaren\nwarst\n"
    "wart\nwarum\nwas\nweder\nwegen\nweil\nwelche\nwelchem\nwelchen\nwelcher\n"
    "welches\nwem\nwen\nwenig\nwenige\nweniger\nwenn\nwer\nwerde\nwerden\n"
    "werdet\nweshalb\nwessen\nwie\nwieder\nwieso\nwieviel\nwill\nwir\nwird\n"
    "wirst\nwo\nwodurch\nwofür\nwoher\nwohin\nwohl\nwollen\nwollte\nwollten\n"
    "womit\nworden\nwurde\nwurden\nwährend\nwäre\nwären\nwürde\nwürden\nzu\n"
    "zudem\nzuerst\nzum\nzumal\nzur\nzwar\nzwischen\nüber\nüberhaupt\n";

static const char greek[] =
    "άλλα\nάλλες\nάλλη\nάλλο\nάλλοι\nάλλος\nάλλους\nάλλων\nάρα\nέγινε\nένα\n"
    "έναν\nένας\nέξω\nέτσι\nέχει\nέχεις\nέχετε\nέχουμε\nέχουν\nέχω\nέως\nή\n"
    "ήδη\nήμαστε\nήμουν\nήσουν\nήταν\nίδια\nίδιο\nίδιοι\nίδιος\nίσως\nακόμα\n"
    "ακόμη\nαλλά\nαν\nαντί\nαπό\nας\nαυτά\nαυτές\nαυτή\nαυτήν\nαυτής\nαυτοί\n"
    "αυτος\nαυτού\nαυτούς\nαυτό\nαυτόν\nαυτός\nαυτών\nαφού\nβέβαια\nγίνει\n"
    "γίνεται\nγια\nγιατί\nγύρω\nδίχως\nδε\nδεν\nδηλαδή\nδιά\nδιότι\nεάν\n"
    "είμαι\nείμαστε\nείναι\nείσαι\nείστε\nείτε\nείχα\nείχαμε\nείχαν\nείχε\n"
    "εγώ\nεδώ\nεκεί\nεκείνα\nεκείνες\nεκείνη\nεκείνο\nεκείνοι\nεκείνος\n"
    "εκτός\nεμάς\nεμένα\nεμείς\nεμπρός\nεν\nεναντίον\nενός\nενώ\nεξαιτίας\n"
    "επί\nεπίσης\nεπειδή\nεσάς\nεσένα\nεσείς\nεσύ\nη\nθα\nιδιαίτερα\nκάθε\n"
    "κάνει\nκάποια\nκάποιες\nκάποιο\nκάποιοι\nκάποιον\nκάποιος\nκάτι\nκάτω\n"
    "καθώς\nκαι\nκαμία\nκανένα\nκανένας\nκανείς\nκατά\nκι\nκοντά\nκυρίως\n"
    "λίγα\nλίγο\nλιγότερο\nλοιπόν\nλόγω\nμάλλον\nμέσα\nμέχρι\nμήπως\nμήτε\n"
    "μία\nμακριά\nμας\nμε\nμερικά\nμερικές\nμερικοί\nμετά\nμεταξύ\nμη\nμην\n"
    "μια\nμιας\nμολονότι\nμου\nμπορεί\nμπορούν\nμπορώ\nμόνο\nμόνος\nνα\nναι\n"
    "ξανά\nο\nοι\nοποία\nοποίαν\nοποίας\nοποίες\nοποίο\nοποίοι\nοποίος\n"
    "οποίου\nοποίους\nοποίων\nούτε\nπάλι\nπάντα\nπάνω\nπίσω\nπαρά\nπαρόλο\n"
    "περί\nπερισσότερα\nπερισσότερο\nπιο\nπλέον\nποια\nποιες\nποιο\nποιοι\n"
    "ποιον\nποιος\nποιων\nπολλά\nπολλές\nπολλοί\nπολλών\nπολύ\nποτέ\nπου\n"
    "πού\nπρέπει\nπριν\nπρος\nπως\nπόσα\nπόσο\nπόσοι\nπότε\nπώς\nσαν\nσας\n"
    "σε\nσου\nστα\nστη\nστην\nστις\nστο\nστον\nστου\nστους\nσχεδόν\nτέτοια\n"
    "τέτοιο\nτέτοιος\nτίποτα\nτα\nτες\nτην\nτης\nτι\nτις\nτο\nτον\nτου\nτους\n"
    "τούτη\nτούτο\nτούτος\nτων\nτόσα\nτόσο\nτότε\nτώρα\nυπάρχει\nυπάρχουν\n"
    "υπέρ\nυπό\nχωρίς\nως\nωστόσο\nόλα\nόλες\nόλη\nόλο\nόλοι\nόλος\nόλους\n"
    "όλων\nόμως\nόποια\nόποιο\nόποιος\nόπου\nόπως\nόσα\nόσες\nόσο\nόσοι\n"
    "όσων\nόταν\nότι\nόχι\nώστε\n";

static const char hindi[] =
    "अंदर\nअगर\nअतः\nअधिक\nअनुसार\nअनेक\nअन्य\nअपना\nअपनी\nअपने\nअब\nअभी\n"
    "अर्थात\nआगे\nआदि\nआप\nआपका\nआपकी\nआपके\nआपको\nइत्यादि\nइन\nइनका\nइनकी\n"
    "इनके\nइनमें\nइनसे\nइन्हें\nइन्होंने\nइस\nइसका\nइसकी\nइसके\nइसको\nइसमें\n"
    "इसलिए\nइससे\nइसी\nइसीलिए\nइसे\nउन\nउनका\nउनकी\nउनके\nउनको\nउनसे\nउन्हें\n"
    "उन्होंने\nउस\nउसका\nउसकी\nउसके\nउसको\nउसने\nउसमें\nउससे\nउसी\nउसे\nऊपर\n"
    "एक\nएवं\nऐसा\nऐसी\nऐसे\nओर\nऔर\nकई\nकम\nकर\nकरता\nकरती\nकरते\nकरना\n"
    "करने\nकरें\nकरेगा\nकहाँ\nकहां\nका\nकि\nकिंतु\nकिए\nकितना\nकितनी\nकितने\n"
    "किन्तु\nकिया\nकिये\nकिस\nकिसी\nकिसे\nकी\nकुछ\nके\nकेवल\nकैसा\nकैसी\n"
    "कैसे\nको\nकोई\nकौन\nक्या\nक्यों\nक्योंकि\nखुद\nगई\nगए\nगया\nगये\nचाहिए\n"
    "जब\nजबकि\nजहाँ\nजहां\nजा\nजाता\nजाती\nजाते\nजाना\nजाने\nजिन\nजिनका\n"
    "जिनकी\nजिनके\nजिन्हें\nजिस\nजिसका\nजिसकी\nजिसके\nजिसमें\nजिससे\nजिसे\n"
    "जैसा\nजैसे\nजो\nज्यादा\nतक\nतथा\nतथापि\nतब\nतरफ\nताकि\nतुम\nतुम्हारा\n"
    "तुम्हारी\nतुम्हारे\nतुम्हें\nतू\nतो\nथा\nथी\nथीं\nथे\nदिए\nदिया\nदी\n"
    "दूसरा\nदूसरी\nदूसरे\nदेकर\nदो\nदौरान\nद्वारा\nन\nनहीं\nना\nनीचे\nने\nपर\n"
    "परंतु\nपरन्तु\nपहले\nपाया\nपीछे\nप्रत्येक\nफिर\nबल्कि\nबस\nबहुत\nबाद\n"
    "बारे\nबाहर\nबिना\nबीच\nभी\nमगर\nमत\nमात्र\nमुझको\nमुझे\nमें\nमेरा\nमेरी\n"
    "मेरे\nमैं\nयदि\nयद्यपि\nयह\nयहाँ\nयहां\nया\nयानी\nये\nरह\nरहा\nरही\nरहे\n"
    "लिए\nलिया\nलिये\nलेकर\nलेकिन\nव\nवह\nवहाँ\nवहां\nवाला\nवाली\nवाले\nवे\n"
    "वैसा\nवैसे\nसंबंधी\nसकता\nसकती\nसकते\nसका\nसब\nसभी\nसाथ\nसिर्फ\nसे\n"
    "स्वयं\nहम\nहमारा\nहमारी\nहमारे\nहमें\nहर\nहाँ\nहां\nहालांकि\nही\nहुआ\n"
    "हुई\nहुए\nहूँ\nहूं\nहै\nहैं\nहो\nहोंगे\nहोगा\nहोगी\nहोता\nहोती\nहोते\n"
    "होना\nहोने\n";

static const char hungarian[] =
    "abban\nabból\naddig\nahhoz\nahogy\nahogyan\nahol\nahová\naki\nakik\n"
    "akinek\nakit\nakkor\nalatt\nalá\namely\namelyben\namelyek\namelyet\n"
    "amelynek\namennyi\nami\namikor\namit\namíg\nannak\nannyi\narra\nattól\n"
    "az\nazok\nazonban\nazt\naztán\nazután\nazzal\nazért\nbe\nbele\nbelőle\n"
    "benne\nbennünket\nbár\nbárki\nbármely\nbármi\ncsak\ncsaknem\nde\nebben\n"
    "ebből\neddig\negy\negyes\negyik\negyéb\negész\negészen\nehhez\nel\n"
    "ellen\nelé\nelég\nelőször\nelőtt\nengem\nennek\nennyi\nenyém\nerre\n"
    "ettől\nez\nezek\nezt\nezzel\nezért\nfel\nfelett\nfelé\nfog\nfogja\n"
    "fogják\nföl\nfölé\nfölött\nha\nhanem\nhaza\nhelyett\nhiszen\nhogy\n"
    "hogyan\nhol\nhonnan\nhová\nhozzá\nhány\nide\nigen\nilletve\nily\nilyen\n"
    "inkább\ninnen\niránt\nis\nismét\nitt\njól\nkell\nkellett\nkeresztül\n"
    "kevesebb\nkevés\nki\nkik\nkinek\nkit\nköré\nkörül\nközé\nközött\nle\n"
    "legalább\nlegtöbb\nlegyen\nlegyenek\nlehet\nlehetett\nlenne\nlennének\n"
    "lesz\nleszek\nlesznek\nlett\nlettek\nmaga\nmagam\nmaguk\nmagát\nmajd\n"
    "meg\nmellett\nmellé\nmely\nmelyek\nmelyet\nmelynek\nmennyi\nmert\nmi\n"
    "miatt\nmidőn\nmikor\nmilyen\nmind\nmindegyik\nminden\nmindenki\nmindig\n"
    "minek\nminket\nmint\nmintha\nmit\nmivel\nmiért\nmost\nmár\nmás\nmásik\n"
    "mások\nmég\nmögött\nnagyon\nne\nneked\nnekem\nneki\nnekik\nnektek\n"
    "nekünk\nnem\nnincs\nnincsenek\nnoha\nnéhány\nnélkül\noda\noly\nolyan\n"
    "onnan\nott\npedig\npersze\npéldául\nrajta\nrosszul\nrá\nrád\nrájuk\nrám\n"
    "ránk\nróla\nsaját\nsem\nsemmi\nsenki\nsincs\nsoha\nsok\nsorán\nszerint\n"
    "szinte\nszokott\nszámára\nszét\ntalán\nte\ntehát\nti\ntiteket\ntovább\n"
    "tud\ntudja\ntéged\ntöbb\ntöbbi\ntőle\nugyan\nugyanaz\nugyanez\nugyanis\n"
    "ugyanolyan\nután\nvagy\nvagyok\nvagytok\nvagyunk\nvajon\nvalaki\n"
    "valamelyik\nvalami\nvalamint\nvaló\nvan\nvannak\nvele\nveled\nvelem\n"
    "velük\nvelünk\nvissza\nvolna\nvolt\nvoltak\nvoltam\nvoltunk\nvoltál\n"
    "végett\nvégig\nvégül\náltal\nám\nát\nén\népp\néppen\nés\nígy\nóta\nön\n"
    "önök\nössze\nösszes\növé\nújra\nő\nők\nőket\nőt\n";

static const char indonesian[] =
    "ada\nadalah\nagar\nakan\nakibat\naku\namat\nanda\nantara\nantaranya\n"
    "apa\napabila\napakah\natas\natau\nbagai\nbagaimana\nbagi\nbahkan\nbahwa\n"
    "banyak\nbaru\nbawah\nbeberapa\nbegini\nbegitu\nbelakang\nbeliau\nbelum\n"
    "berapa\nberbagai\nbiasa\nbiasanya\nbila\nbisa\nboleh\nbukan\ncukup\n"
    "dahulu\ndalam\ndan\ndapat\ndari\ndaripada\ndemi\ndemikian\ndengan\n"
    "depan\ndi\ndia\ndimana\ndiri\ndisana\ndisini\ndua\ndulu\nengkau\nguna\n"
    "hal\nhampir\nhanya\nharus\nhendak\nhingga\nia\nialah\ningin\nini\nitu\n"
    "jadi\njangan\njika\njuga\njustru\nkadang\nkah\nkalau\nkalian\nkami\n"
    "kamu\nkapan\nkarena\nkau\nke\nkemudian\nkenapa\nkepada\nketika\nkini\n"
    "kita\nku\nkurang\nlagi\nlah\nlain\nlainnya\nlalu\nlebih\nluar\nmaka\n"
    "malah\nmana\nmasih\nmasing\nmau\nmelainkan\nmelalui\nmengapa\nmengenai\n"
    "menjadi\nmenurut\nmereka\nmerupakan\nmeski\nmeskipun\nmisal\nmisalnya\n"
    "mu\nmungkin\nnamun\nnanti\nnya\noleh\npada\npaling\npara\nper\nperlu\n"
    "pernah\npula\npun\nsaat\nsaja\nsama\nsambil\nsampai\nsana\nsangat\nsatu\n"
    "saya\nsebab\nsebagai\nsebagian\nsebelum\nsebelumnya\nsebuah\nsecara\n"
    "sedang\nsedangkan\nsedikit\nseekor\nsegala\nsegera\nsehingga\nsejak\n"
    "sekali\nsekarang\nselalu\nselama\nselanjutnya\nseluruh\nsemua\nsendiri\n"
    "seolah\nseorang\nseperti\nsering\nserta\nsesudah\nsetelah\nsetiap\n"
    "siapa\nsini\nsitu\nsuatu\nsudah\nsupaya\ntadi\ntah\ntak\ntanpa\ntapi\n"
    "telah\ntentang\nterhadap\nterlalu\ntersebut\ntetapi\ntiada\ntiap\ntidak\n"
    "untuk\nwalau\nwalaupun\nya\nyaitu\nyakni\nyang\n";

static const char irish[] =
    "ab\nabhus\nach\nacu\nag\nagaibh\nagainn\nagam\nagat\naghaidh\nagus\n"
    "aici\naige\nair\namach\namháin\nan\nann\nanois\nanseo\nansin\nansiúd\n"
    "anuas\naon\nar\nariamh\narís\nas\natá\nba\nbeagnach\nbeagán\nbeidh\n"
    "bheadh\nbheith\nbhfuil\nbhur\nbhí\nbhíodh\nbudh\nbá\nbíonn\ncad\n"
    "cathain\nceann\ncheana\nchomh\nchoíche\nchuig\nchuir\nchun\nchur\ncibé\n"
    "conas\ncá\ncár\ncé\ncéanna\ncéard\ncén\ncúpla\ndaoibh\nde\ndeir\nden\n"
    "dhá\ndi\ndo\ndom\ndon\nduit\ndá\ndéan\ndéanamh\ndíobh\ndíom\ndíot\ndó\n"
    "dóibh\ndúinn\ndúirt\neile\nfaoi\nfaoin\nfhéadfadh\nfreisin\nfé\nféin\n"
    "fós\ngach\ngan\ngo\ngur\ngurb\ngurbh\niad\nidir\nin\nina\ninar\ninti\n"
    "inár\nionam\nionas\niontu\nis\nisteach\nle\nleat\nleis\nlena\nlenár\n"
    "leo\nlibh\nlinn\nliom\nléi\nlú\nmaidir\nmar\nmara\nmh\nmise\nmo\nmuid\n"
    "muidne\nmura\nmá\nmé\nmó\nmórthimpeall\nmórán\nna\nnach\nnarbh\nnuair\n"
    "nár\nní\nníl\nníor\nníorbh\nníos\nnó\noraibh\norainn\norm\nort\northu\n"
    "raibh\nriamh\nrinne\nroimh\nroinnt\nsa\nsan\nseachas\nseisean\nseo\n"
    "siad\nsiadsan\nsibh\nsibhse\nsin\nsinn\nsise\nsiúd\nsna\nsuas\nsula\n"
    "sular\nsé\nsí\nsíos\ntar\nthall\nthar\ntimpeall\ntoisc\ntrasna\ntrí\n"
    "tríd\ntusa\ntá\ntú\nuaidh\nuaim\nuait\nuaithi\nuathu\nuile\nuirthi\num\n"
    "ár\né\néis\ní\nó\nóir\n";

static const char italian[] =
    "abbia\nabbiamo\nabbiano\nad\nadesso\naffinché\nagli\nai\nal\nalcuna\n"
    "alcune\nalcuni\nalcuno\nall\nalla\nalle\nallo\nallora\naltra\naltre\n"
    "altri\naltro\nanche\nancora\nanzi\nappena\nassai\navendo\navere\navete\n"
    "aveva\navevano\navevo\navranno\navrebbe\navrebbero\navrà\navrò\navuto\n"
    "benché\nbene\ncerta\ncerte\ncerti\ncerto\nche\nchi\nci\nciascuna\n"
    "ciascuno\ncioè\ncirca\nciò\ncoi\ncol\ncome\ncon\ncontro\ncos\ncosì\ncui\n"
    "da\ndagli\ndai\ndal\ndall\ndalla\ndalle\ndallo\ndavanti\ndegli\ndei\n"
    "del\ndell\ndella\ndelle\ndello\ndentro\ndeve\ndevono\ndi\ndietro\ndopo\n"
    "dove\ndovere\ndoveva\ndunque\ndurante\nebbe\nebbero\ned\negli\nella\n"
    "entrambi\nera\nerano\neravamo\neri\nero\nessa\nesse\nessendo\nessere\n"
    "essi\nesso\nfa\nfaceva\nfanno\nfare\nfatto\nfinché\nfino\nforse\nfra\n"
    "fu\nfui\nfuori\nfurono\ngià\ngli\ngliela\nglielo\nha\nhai\nhanno\nho\n"
    "ieri\nil\nin\ninfatti\ninoltre\ninsieme\ninvece\nio\nla\nle\nlei\nli\n"
    "lo\nloro\nlui\nlungo\nlà\nlì\nma\nmai\nmale\nme\nmediante\nmeno\nmentre\n"
    "mi\nmia\nmie\nmiei\nmio\nmolta\nmolte\nmolti\nmolto\nne\nneanche\nnegli\n"
    "nei\nnel\nnell\nnella\nnelle\nnello\nnemmeno\nneppure\nnessuna\nnessuno\n"
    "niente\nno\nnoi\nnon\nnostra\nnostre\nnostri\nnostro\nnulla\nné\nod\n"
    "oggi\nogni\nognuno\noltre\noppure\nora\normai\nossia\nparecchio\nper\n"
    "perchè\nperché\nperciò\nperò\npiuttosto\npiù\npo\npoca\npoche\npochi\n"
    "poco\npoi\npoiché\npossono\npotere\npoteva\npresso\nprima\nproprio\n"
    "pure\npuò\nqua\nqualche\nqualcosa\nqualcuno\nquale\nquali\nqualsiasi\n"
    "quando\nquanta\nquante\nquanti\nquanto\nquasi\nquegli\nquei\nquel\n"
    "quell\nquella\nquelle\nquelli\nquello\nquest\nquesta\nqueste\nquesti\n"
    "questo\nqui\nquindi\nsaranno\nsarebbe\nsarebbero\nsaremo\nsarà\nsarò\n"
    "se\nsebbene\nsecondo\nsei\nsempre\nsenza\nsi\nsia\nsiamo\nsiano\n"
    "siccome\nsiete\nsino\nsolo\nsoltanto\nsono\nsopra\nsotto\nspesso\nsta\n"
    "stanno\nstata\nstate\nstati\nstato\nstava\nstessa\nstesse\nstessi\n"
    "stesso\nsu\nsua\nsue\nsugli\nsui\nsul\nsull\nsulla\nsulle\nsullo\nsuo\n"
    "suoi\nsé\nsì\ntale\ntali\ntanta\ntante\ntanti\ntanto\nte\nti\ntra\n"
    "troppo\ntu\ntua\ntue\ntuo\ntuoi\ntutta\ntuttavia\ntutte\ntutti\ntutto\n"
    "un\nuna\nuno\nva\nvanno\nvengono\nveniva\nverso\nvi\nviene\nvoi\nvostra\n"
    "vostre\nvostri\nvostro\nvuole\nè\n";

static const char lithuanian[] =
    "ana\nanas\nanot\nant\napie\naplink\napskritai\nar\narba\naš\nbe\nbei\n"
    "bet\nbeveik\nbus\nbuvau\nbuvo\nbuvome\nbuvęs\nbūna\nbūs\nbūti\nbūtų\n"
    "dabar\ndar\ndaug\ndaugiau\ndažnai\ndėl\nesame\nesant\nesate\nesi\nesu\n"
    "gal\ngalbūt\ngali\ngalima\ngalėjo\ngalėtų\ngana\nidant\niki\nir\nirgi\n"
    "iš\njai\njais\njam\njame\njas\njau\njei\njeigu\nji\njie\njiems\njis\njo\n"
    "jog\njoje\njomis\njoms\njos\njuk\njums\njuos\njus\nją\njį\njūs\njūsų\n"
    "jų\nkad\nkada\nkadangi\nkai\nkaip\nkam\nkartais\nkas\nkažkas\nkažkoks\n"
    "kažkur\nkeletas\nkeli\nkelios\nkiek\nkiekviena\nkiekvienas\nkita\nkitas\n"
    "kiti\nkito\nkitos\nkitą\nkitų\nko\nkodėl\nkokia\nkokie\nkokios\nkoks\n"
    "kokį\nkol\nkuo\nkuomet\nkur\nkuri\nkuriam\nkuriame\nkurie\nkuriems\n"
    "kurio\nkurioje\nkurios\nkuris\nkuriuo\nkurią\nkurių\nkurį\nką\nlabai\n"
    "ligi\nlink\nlyg\nman\nmane\nmanimi\nmanęs\nmažai\nmažiau\nmes\nmums\n"
    "mus\nmūsų\nne\nnebent\nnebus\nnebuvo\nnegu\nnei\nnes\nnet\nnetgi\n"
    "niekada\nniekas\nnieko\nniekur\nnors\nnuo\nnė\nnėra\npagal\npas\npaskui\n"
    "pat\npati\npats\npatys\npačios\nper\npo\nprie\nprieš\npro\nreikia\n"
    "reikėjo\nsau\nsave\nsavimi\nsavo\nsavęs\nsu\nta\ntad\ntada\ntai\ntaigi\n"
    "taip\ntam\ntame\ntarp\ntarsi\ntas\ntau\ntave\ntavęs\ntačiau\nteks\nten\n"
    "tie\ntiems\ntik\ntiktai\nto\ntodėl\ntoje\ntokia\ntokie\ntokios\ntoks\n"
    "tokį\ntos\ntu\ntuo\nturi\nturėjo\nturėti\ntą\ntų\nuž\nužtat\nvien\n"
    "viena\nvienas\nvieni\nvieną\nvietoj\nvirš\nvisa\nvisada\nvisas\nvisi\n"
    "visiems\nvisos\nvisą\nvisų\nvėl\nypač\nyra\nčia\nį\nšalia\nši\nšia\n"
    "šiai\nšiam\nšiame\nšie\nšiems\nšio\nšioje\nšios\nšis\nšiuo\nšią\nšių\n"
    "šį\nžemiau\n";

static const char nepali[] =
    "अगाडि\nअघि\nअझै\nअति\nअनुसार\nअन्य\nअब\nअर्को\nअहिले\nआज\nआदि\nआफू\n"
    "आफूले\nआफैं\nआफ्नो\nउनको\nउनलाई\nउनले\nउनी\nउनीहरु\nउनीहरू\nउनीहरूको\n"
    "उसको\nउसलाई\nउसले\nउहाँ\nऊ\nएउटा\nएक\nकति\nकम\nकसरी\nकसलाई\nकसले\nकस्तो\n"
    "कहाँ\nकहिले\nकहिल्यै\nका\nकि\nकिन\nकिनभने\nकी\nकुन\nकुनै\nके\nकेही\nको\n"
    "कोही\nगरिएको\nगरी\nगरे\nगरेका\nगरेकी\nगरेको\nगरेर\nगर्छ\nगर्दा\nगर्दै\n"
    "गर्न\nगर्नु\nगर्ने\nछ\nछन्\nछु\nछैन\nछैनन्\nछौं\nजब\nजसको\nजसमा\nजसरी\n"
    "जसलाई\nजसले\nजस्ता\nजस्तै\nजस्तो\nजहाँ\nजुन\nजो\nत\nतथा\nतपाई\nतपाईं\n"
    "तपाईंको\nतपाईंलाई\nतब\nतर\nतर्फ\nतल\nतापनि\nतिनी\nतिमी\nतिमीलाई\nतिम्रो\n"
    "तिर\nती\nत्यसको\nत्यसपछि\nत्यसमा\nत्यसलाई\nत्यसले\nत्यसैले\nत्यस्तो\n"
    "त्यहाँ\nत्यो\nथिइन्\nथिए\nथिएन\nथियो\nथोरै\nदिए\nदिएको\nदिन\nदिने\nदुई\n"
    "देखि\nद्वारा\nधेरै\nन\nना\nनि\nनिकै\nनै\nपछाडि\nपछि\nपनि\nपर्छ\nपर्ने\n"
    "पर्यो\nपहिले\nपहिलो\nप्रत्येक\nफेरि\nबढी\nबाट\nबारे\nबारेमा\nबाहिर\n"
    "बिना\nबीच\nबीचमा\nभइ\nभई\nभए\nभएका\nभएको\nभएर\nभनी\nभने\nभनेर\nभन्छ\n"
    "भन्दा\nभन्ने\nभयो\nभित्र\nम\nमलाई\nमा\nमात्र\nमात्रै\nमाथि\nमेरो\nमैले\n"
    "यदि\nयद्यपि\nयसको\nयसमा\nयसरी\nयसलाई\nयसले\nयस्तो\nयहाँ\nयी\nयो\nर\nरहे\n"
    "रहेका\nरहेको\nलाई\nलागि\nलिएर\nलिने\nले\nवरिपरि\nवा\nविरुद्ध\nसँग\nसंग\n"
    "सकिन्छ\nसक्छ\nसक्ने\nसधैं\nसबै\nसम्म\nसाथ\nसाथै\nहँ\nहजुर\nहरेक\nहामी\n"
    "हामीलाई\nहामीले\nहाम्रो\nहुँदा\nहुन\nहुने\nहुन्\nहुन्छ\nहुन्छन्\nहो\n"
    "होइन\n";

static const char norwegian[] =
    "aldri\nall\nalle\nallerede\nalltid\nalt\naltså\nandre\nanna\nannen\n"
    "annet\nat\nav\nbak\nbare\nbegge\nblant\nble\nblei\nbli\nblir\nblitt\n"
    "bort\nburde\nbåde\nbør\nda\nde\ndeg\ndei\ndeim\ndeira\ndem\nden\ndenne\n"
    "dens\nder\ndere\nderes\nderetter\nderfor\nderfra\ndermed\ndersom\n"
    "dertil\ndesse\ndessuten\ndet\ndets\ndette\ndi\ndin\ndine\ndisse\ndit\n"
    "ditt\ndog\ndu\ndykk\ndykkar\neg\nei\nein\neit\neller\nellers\nen\nenda\n"
    "enhver\nenn\nennå\nenten\ner\net\netter\nettersom\nfikk\nfleire\nflere\n"
    "flest\nfleste\nfor\nforan\nfordi\nfortsatt\nfra\nfram\nfrem\nfå\nfår\n"
    "fått\nfærre\nfør\nførst\ngang\nganske\ngjennom\ngjorde\ngjort\ngjør\n"
    "gjøre\nha\nhadde\nham\nhan\nhans\nhar\nhatt\nheller\nhelt\nhennar\n"
    "henne\nhennes\nher\nherfra\nhit\nho\nhos\nhun\nhva\nhvem\nhver\nhvert\n"
    "hvilke\nhvilken\nhvilket\nhvis\nhvor\nhvorav\nhvordan\nhvorfor\nifølge\n"
    "igjen\nikke\nikkje\nimidlertid\nimot\ningen\ningenting\ninn\ninnen\n"
    "innenfor\ninntil\nintet\nja\njeg\njo\nkan\nkanskje\nkor\nkorleis\nkun\n"
    "kunne\nkunnet\nkva\nkvar\nkvart\nkven\nkvifor\nla\nlangs\nlar\nlikesom\n"
    "likevel\nlitt\nlot\nman\nmange\nme\nmed\nmedan\nmeg\nmeget\nmeir\n"
    "mellom\nmen\nmens\nmer\nmest\nmi\nmin\nmindre\nmine\nminst\nmitt\nmot\n"
    "mye\nmykje\nmå\nmåtte\nned\nnei\nnesten\nnettopp\nno\nnoe\nnoen\nnok\n"
    "noko\nnokon\nnokre\nnå\nnår\nofte\nog\nogså\nom\nomkring\nopp\noss\n"
    "over\nper\npå\nrundt\nsame\nsamme\nsamt\nseg\nselv\nselve\nsi\nsidan\n"
    "siden\nsin\nsine\nsitt\nsjøl\nskal\nskjønt\nskulle\nslik\nslike\nslikt\n"
    "snart\nsom\nså\nsærlig\ntil\ntross\nunder\nunntatt\nut\nutan\nuten\n"
    "utenfor\nvar\nved\nvel\nvere\nverken\nvi\nvia\nvil\nville\nvillet\n"
    "visst\nvore\nvår\nvåre\nvårt\nvære\nvært\n";

static const char portuguese[] =
    "agora\nainda\nalgo\nalgum\nalguma\nalgumas\nalguns\nalguém\nali\naliás\n"
    "além\nambos\nante\nantes\nao\naos\napenas\napós\naquela\naquelas\n"
    "aquele\naqueles\naqui\naquilo\nas\nassim\naté\naí\nbastante\nbem\ncada\n"
    "caso\ncerta\ncertas\ncerto\ncertos\ncom\ncomigo\ncomo\nconforme\n"
    "conosco\nconsigo\ncontigo\ncontra\ncontudo\ncuja\ncujas\ncujo\ncujos\n"
    "cá\nda\ndaquela\ndaquele\ndas\nde\ndela\ndelas\ndele\ndeles\ndemais\n"
    "depois\ndesde\ndessa\ndessas\ndesse\ndesses\ndesta\ndestas\ndeste\n"
    "destes\ndeve\ndevem\ndevia\ndisso\ndisto\ndo\ndos\ndum\nduma\ndurante\n"
    "ela\nelas\nele\neles\nem\nembora\nenquanto\nentre\nentretanto\nentão\n"
    "era\neram\neras\nessa\nessas\nesse\nesses\nesta\nestado\nestamos\nestar\n"
    "estas\nestava\nestavam\neste\nesteja\nestejam\nestes\nesteve\nestiveram\n"
    "estou\nestá\nestão\neu\nexceto\nfaz\nfazem\nfazer\nfeito\nfez\nfoi\n"
    "fomos\nforam\nfosse\nfossem\nfui\nhaja\nhaver\nhavia\nhoje\nhouve\nhá\n"
    "inclusive\nir\nisso\nisto\njamais\njá\nlhe\nlhes\nlogo\nlá\nmais\nmal\n"
    "mas\nme\nmediante\nmenos\nmesma\nmesmas\nmesmo\nmesmos\nmeu\nmeus\nmim\n"
    "minha\nminhas\nmuita\nmuitas\nmuito\nmuitos\nna\nnada\nnaquela\nnaquele\n"
    "nas\nnela\nnelas\nnele\nneles\nnem\nnenhum\nnenhuma\nnessa\nnesse\n"
    "nesta\nneste\nninguém\nnisso\nnisto\nno\nnos\nnossa\nnossas\nnosso\n"
    "nossos\nnum\nnuma\nnumas\nnunca\nnuns\nnão\nnós\nonde\nontem\nos\nou\n"
    "outra\noutras\noutro\noutros\npara\npela\npelas\npelo\npelos\nperante\n"
    "pode\npodem\npoder\npodia\npois\npor\nporque\nporquê\nportanto\nporém\n"
    "pouca\npoucas\npouco\npoucos\nquais\nquaisquer\nqual\nqualquer\nquando\n"
    "quanta\nquantas\nquanto\nquantos\nquase\nque\nquem\nse\nsegundo\nseja\n"
    "sejam\nsem\nsempre\nsendo\nsenão\nser\nseria\nseriam\nserá\nserão\nseu\n"
    "seus\nsi\nsido\nsim\nsob\nsobre\nsomos\nsou\nsua\nsuas\nsão\nsó\ntais\n"
    "tal\ntalvez\ntambém\ntanta\ntantas\ntanto\ntantos\nte\ntem\ntemos\n"
    "tenha\ntenham\ntenho\ntens\nter\nteria\nteriam\nterá\nterão\nteu\nteus\n"
    "teve\nti\ntido\ntinha\ntinham\ntiveram\ntoda\ntodas\ntodavia\ntodo\n"
    "todos\ntu\ntua\ntuas\ntudo\ntão\ntêm\ntínhamos\num\numa\numas\nuns\nvai\n"
    "você\nvocês\nvos\nvossa\nvosso\nvou\nvárias\nvários\nvão\nvós\nà\nàs\né\n"
    "éramos\nés\n";

static const char romanian[] =
    "abia\nacea\naceasta\naceastă\naceea\naceeași\nacei\naceia\naceiași\n"
    "acel\nacela\nacelași\nacele\nacelea\naceleași\nacelei\nacelor\nacelui\n"
    "acest\nacesta\naceste\nacestea\nacestei\nacestor\nacestui\nacești\n"
    "aceștia\nacolo\nacum\nai\naibă\naici\nal\nale\nalt\nalta\nalte\naltele\n"
    "altor\naltul\naltă\nalți\nalții\nam\nambele\nambii\napoi\naproape\nar\n"
    "are\nasta\nastfel\nastăzi\nasupra\natare\natunci\natât\natâta\natâtea\n"
    "atâția\nau\navea\naveam\naveau\navem\naveți\navut\navând\nazi\naș\nașa\n"
    "așadar\nbine\ncam\ncare\nce\ncea\ncei\ncel\ncele\ncelei\ncelor\ncelui\n"
    "ceva\nchiar\nci\ncine\ncineva\nconform\ncontra\ncu\ncui\ncum\ncând\ncât\n"
    "câte\ncâteva\ncâtă\ncâți\ncâțiva\ncă\ncăci\ncărei\ncăror\ncărui\ncătre\n"
    "da\ndacă\ndar\ndatorită\nde\ndeasupra\ndeci\ndecât\ndeja\ndeoarece\n"
    "despre\ndestul\ndeși\ndin\ndintr\ndintre\ndintru\ndoar\ndumneavoastră\n"
    "după\nea\nei\nel\nele\nera\neram\nerau\neră\neste\neu\nești\nfac\nface\n"
    "fi\nfie\nfiecare\nfii\nfiind\nfiindcă\nfoarte\nfost\nfăcut\nfără\niar\n"
    "iarăși\nieri\nla\nle\nlor\nlui\nlângă\nmai\nmea\nmei\nmele\nmereu\nmeu\n"
    "mi\nmie\nmult\nmulte\nmultă\nmulți\nmă\nne\nnici\nnicio\nniciodată\n"
    "niciun\nniciunul\nnimeni\nnimic\nniște\nnoastre\nnoastră\nnoi\nnostru\n"
    "noștri\nnu\nnumai\nori\noricare\norice\noricine\npe\npentru\npeste\n"
    "poate\npot\nprea\nprecum\nprin\nprintr\nprintre\nputea\nputut\npuțin\n"
    "puține\npuțini\npuțină\npână\nsa\nsale\nsau\nse\nsine\nspre\nsub\nsunt\n"
    "suntem\nsunteți\nsă\nsăi\nsău\nta\ntale\nte\ntoate\ntoată\ntot\ntotuși\n"
    "toți\ntrebuie\ntu\ntăi\ntău\nun\nuna\nunde\nunei\nunele\nunii\nunora\n"
    "unui\nunul\nva\nvei\nveți\nvoastre\nvoastră\nvoi\nvom\nvor\nvostru\n"
    "voștri\nvreo\nvreun\nvă\nîi\nîl\nîmpotriva\nîn\nînainte\nînaintea\n"
    "încât\nîncă\nînsuși\nînsă\nîntr\nîntre\nîntru\năsta\nși\nți\nție\n";

static const char russian[] =
    "а\nбез\nбезо\nблагодаря\nболее\nбольше\nбудем\nбудет\nбудете\nбудто\n"
    "буду\nбудут\nбы\nбывает\nбыл\nбыла\nбыли\nбыло\nбыть\nв\nвам\nвами\nвас\n"
    "ваш\nваша\nваше\nвашего\nвашей\nваши\nваших\nввиду\nвдруг\nведь\nвесь\n"
    "весьма\nвместе\nвместо\nвне\nвнутри\nво\nвозле\nвокруг\nвон\nвообще\n"
    "вот\nвполне\nвсе\nвсегда\nвсего\nвсей\nвсем\nвсеми\nвсему\nвсех\n"
    "вследствие\nвсю\nвся\nвсё\nвы\nгде\nда\nдаже\nдля\nдо\nдовольно\nдолжен\n"
    "должна\nдолжно\nдолжны\nдругая\nдругие\nдругих\nдругого\nдругое\nдругой\n"
    "его\nее\nей\nему\nесли\nесть\nеще\nещё\nеё\nже\nза\nзатем\nзато\nзачем\n"
    "здесь\nи\nиз\nизо\nили\nим\nименно\nими\nиная\nиногда\nиной\nиные\nих\n"
    "к\nкаждая\nкаждого\nкаждое\nкаждой\nкаждые\nкаждый\nкак\nкакая\nкакие\n"
    "каким\nкаких\nкакого\nкакое\nкакой\nкаком\nкакую\nкем\nко\nкогда\nкого\n"
    "ком\nкому\nкоторая\nкоторого\nкоторое\nкоторой\nкотором\nкоторому\n"
    "которую\nкоторые\nкоторый\nкоторым\nкоторыми\nкоторых\nкроме\nкто\nкуда\n"
    "ли\nлибо\nлишь\nлучше\nлюбая\nлюбое\nлюбой\nлюбые\nмало\nмежду\nменее\n"
    "меньше\nменя\nмимо\nмне\nмногие\nмногих\nмного\nмной\nмною\nмог\nмогла\n"
    "могли\nмогло\nмогу\nмогут\nмое\nмоего\nмоей\nмоему\nможем\nможет\n"
    "можете\nможно\nмои\nмоим\nмоих\nмой\nмою\nмоя\nмоё\nмоём\nмы\nна\nнад\n"
    "надо\nнам\nнами\nнапример\nнас\nнаш\nнаша\nнаше\nнашего\nнашей\nнашему\n"
    "наши\nнашим\nнаших\nне\nнего\nнее\nнежели\nней\nнекоторые\nнекоторый\n"
    "некоторых\nнекто\nнельзя\nнем\nнему\nнесколько\nнет\nнету\nнеужели\n"
    "нечто\nнею\nнеё\nни\nникакой\nникогда\nникого\nникому\nникто\nним\nних\n"
    "ничего\nничто\nно\nну\nнужно\nнём\nо\nоб\nоба\nобе\nобо\nодин\nодна\n"
    "однако\nодни\nодно\nодного\nодной\nоколо\nон\nона\nони\nоно\nопять\n"
    "особенно\nот\nоткуда\nото\nотсюда\nоттуда\nотчего\nочень\nперед\nпередо\n"
    "по\nпод\nподо\nпока\nпосле\nпотом\nпотому\nпочему\nпочти\nпоэтому\nпри\n"
    "причем\nпричём\nпро\nпросто\nпротив\nпрямо\nпусть\nпутём\nради\nраз\n"
    "разве\nредко\nс\nсам\nсама\nсамая\nсами\nсамих\nсамо\nсамого\nсамое\n"
    "самой\nсамые\nсамый\nсвое\nсвоего\nсвоей\nсвоему\nсвои\nсвоим\nсвоих\n"
    "свой\nсвою\nсвоя\nсвоё\nсебе\nсебя\nсейчас\nсколько\nследует\nслишком\n"
    "словно\nснова\nсо\nсобой\nсобою\nсовсем\nсогласно\nсразу\nсреди\nстал\n"
    "стала\nстали\nстало\nстолько\nсюда\nта\nтак\nтакая\nтакже\nтакие\nтаким\n"
    "таких\nтакого\nтакое\nтакой\nтам\nтвое\nтвоего\nтвоей\nтвои\nтвоих\n"
    "твой\nтвоя\nтвоё\nте\nтебе\nтебя\nтем\nтеми\nтеперь\nтех\nто\nтобой\n"
    "тобою\nтогда\nтого\nтоже\nтой\nтолько\nтом\nтому\nтот\nту\nтуда\nтут\n"
    "ты\nу\nуж\nуже\nхорошо\nхоть\nхотя\nчасто\nчего\nчей\nчем\nчему\nчерез\n"
    "что\nчтоб\nчтобы\nчьи\nчья\nчьё\nчём\nэта\nэти\nэтим\nэтими\nэтих\nэто\n"
    "этого\nэтой\nэтом\nэтому\nэтот\nэту\nя\nявляется\nявлялся\nявляются\n";

static const char serbian[] =
    "ako\nali\nbaš\nbez\nbi\nbih\nbila\nbile\nbili\nbilo\nbio\nbismo\nbiti\n"
    "biće\nbude\nbudu\nda\ndakle\ndo\ndok\ndruga\ndrugi\ndrugih\ndrugo\n"
    "drugog\nga\ngde\nhoće\niako\nih\nili\nim\nima\nimaju\nimala\nimao\n"
    "imati\nipak\nispod\nispred\niz\niza\nizmeđu\niznad\nja\nje\njer\njeste\n"
    "joj\njoš\nkad\nkada\nkako\nkao\nko\nkod\nkoga\nkoja\nkoje\nkoji\nkojih\n"
    "kojim\nkojima\nkojoj\nkoliko\nkroz\nkuda\nmada\nmalo\nmanje\nme\nmeđu\n"
    "međutim\nmi\nmnogo\nmogu\nmoj\nmoja\nmoje\nmora\nmoraju\nmožda\nmože\n"
    "mu\nna\nnad\nnam\nnas\nnaš\nnaša\nnaše\nne\nnego\nneka\nneke\nneki\n"
    "neko\nnekoga\nnekoliko\nnema\nneće\nni\nnigde\nnije\nnikad\nnikada\n"
    "niko\nnisam\nnismo\nnisu\nniti\nništa\nnjegov\nnjegova\nnjegovo\nnjen\n"
    "njena\nnjihov\nnjihova\nod\noko\non\nona\nonaj\none\noni\nono\nonog\n"
    "opet\nosim\nova\novaj\novde\nove\novi\novih\novo\novog\novom\npa\npak\n"
    "po\npod\nponekad\npored\nposle\npre\npreko\nprema\npri\nprotiv\nradi\n"
    "sa\nsada\nsam\nsamo\nse\nsebe\nsebi\nsi\nskoro\nsmo\nste\nstoga\nsu\n"
    "sva\nsvaka\nsvaki\nsvako\nsve\nsvi\nsvih\nsvim\nsvoj\nsvoja\nsvoje\n"
    "svojih\nta\ntada\ntaj\ntakav\ntakođe\ntakva\ntakvi\ntakvo\ntamo\nte\n"
    "tek\nti\ntih\ntim\nto\ntog\ntokom\ntom\ntome\ntreba\ntu\ntvoj\ntvoja\n"
    "upravo\nuvek\nuz\nvam\nvas\nvaš\nvaša\nvaše\nveoma\nveć\nvi\nviše\nvrlo\n"
    "za\nzato\nzašto\nzbog\nće\nćemo\nćete\nćeš\nću\nčak\nčemu\nčesto\nčiji\n"
    "čime\nšta\nšto\nако\nали\nбаш\nбез\nби\nбила\nбиле\nбили\nбило\nбио\n"
    "бисмо\nбити\nбих\nбиће\nбуде\nбуду\nвам\nвас\nваш\nваша\nваше\nвеома\n"
    "већ\nви\nвише\nврло\nга\nгде\nда\nдакле\nдо\nдок\nдруга\nдруги\nдругих\n"
    "друго\nдругог\nза\nзато\nзашто\nзбог\nи\nиако\nиз\nиза\nизмеђу\nизнад\n"
    "или\nим\nима\nимала\nимао\nимати\nимају\nипак\nиспод\nиспред\nих\nкад\n"
    "када\nкако\nкао\nко\nкога\nкод\nколико\nкоја\nкоје\nкоји\nкојим\nкојима\n"
    "којих\nкојој\nкроз\nкуда\nмада\nмало\nмање\nме\nмеђу\nмеђутим\nми\n"
    "много\nмогу\nможда\nможе\nмора\nморају\nмој\nмоја\nмоје\nму\nна\nнад\n"
    "нам\nнас\nнаш\nнаша\nнаше\nне\nнего\nнека\nнеке\nнеки\nнеко\nнекога\n"
    "неколико\nнема\nнеће\nни\nнигде\nникад\nникада\nнико\nнисам\nнисмо\n"
    "нису\nнити\nништа\nније\nо\nова\nовај\nовде\nове\nови\nових\nово\nовог\n"
    "овом\nод\nоко\nон\nона\nонај\nоне\nони\nоно\nоног\nопет\nосим\nпа\nпак\n"
    "по\nпод\nпонекад\nпоред\nпосле\nпре\nпреко\nпрема\nпри\nпротив\nради\n"
    "са\nсада\nсам\nсамо\nсва\nсвака\nсваки\nсвако\nсве\nсви\nсвим\nсвих\n"
    "свој\nсвоја\nсвоје\nсвојих\nсе\nсебе\nсеби\nси\nскоро\nсмо\nсте\nстога\n"
    "су\nта\nтада\nтакав\nтаква\nтакви\nтакво\nтакође\nтамо\nтај\nтвој\n"
    "твоја\nте\nтек\nти\nтим\nтих\nто\nтог\nтоком\nтом\nтоме\nтреба\nту\nу\n"
    "увек\nуз\nуправо\nхоће\nчак\nчему\nчесто\nчиме\nчији\nшта\nшто\nја\nје\n"
    "јер\nјесте\nјош\nјој\nњегов\nњегова\nњегово\nњен\nњена\nњихов\nњихова\n"
    "ће\nћемо\nћете\nћеш\nћу\n";

static const char spanish[] =
    "acá\nademás\nadonde\nahora\nahí\nal\nalgo\nalguien\nalguna\nalgunas\n"
    "alguno\nalgunos\nalgún\nallá\nallí\nalrededor\nambas\nambos\nante\n"
    "antes\napenas\naquel\naquella\naquellas\naquello\naquellos\naquí\nasí\n"
    "aun\naunque\nayer\naún\nbajo\nbastante\nbien\ncada\ncasi\ncerca\ncomo\n"
    "con\nconmigo\nconsigo\ncontigo\ncontra\ncual\ncuales\ncualquier\n"
    "cualquiera\ncuando\ncuanta\ncuanto\ncuantos\ncuya\ncuyas\ncuyo\ncuyos\n"
    "cuál\ncuáles\ncuándo\ncuánto\ncuántos\ncómo\nde\ndebajo\ndebe\ndeben\n"
    "debía\ndel\ndemasiado\ndentro\ndesde\ndespués\ndonde\ndurante\ndónde\n"
    "el\nella\nellas\nello\nellos\nembargo\nen\nencima\nentonces\nentre\nera\n"
    "eran\neras\neres\nes\nesa\nesas\nese\neso\nesos\nesta\nestaba\nestaban\n"
    "estado\nestamos\nestar\nestas\neste\nesto\nestos\nestoy\nestuvieron\n"
    "estuvo\nestá\nestán\nestás\nesté\nestén\nexcepto\nfue\nfuera\nfueran\n"
    "fueron\nfuese\nfui\nfuimos\nha\nhaber\nhabido\nhabrá\nhabrán\nhabría\n"
    "habrían\nhabía\nhabían\nhace\nhacen\nhacer\nhacia\nhacía\nhan\nhas\n"
    "hasta\nhay\nhaya\nhayan\nhe\nhecho\nhemos\nhizo\nhoy\nhubiera\nhubieran\n"
    "hubo\nincluso\nir\njamás\nla\nlas\nle\nlejos\nles\nlo\nlos\nluego\nmal\n"
    "mas\nmañana\nme\nmediante\nmenos\nmi\nmientras\nmis\nmisma\nmismas\n"
    "mismo\nmismos\nmucha\nmuchas\nmucho\nmuchos\nmuy\nmás\nmí\nmía\nmías\n"
    "mío\nmíos\nnada\nnadie\nni\nninguna\nninguno\nningún\nno\nnos\nnosotras\n"
    "nosotros\nnuestra\nnuestras\nnuestro\nnuestros\nnunca\nos\notra\notras\n"
    "otro\notros\npara\npero\npoca\npocas\npoco\npocos\npoder\npodría\npodía\n"
    "por\nporque\npuede\npueden\npues\nque\nquien\nquienes\nquizá\nquizás\n"
    "quién\nquiénes\nqué\nsalvo\nse\nsea\nsean\nsegún\nser\nserá\nserán\n"
    "sería\nserían\nsi\nsido\nsiempre\nsiendo\nsin\nsino\nsobre\nsois\n"
    "solamente\nsolo\nsomos\nson\nsoy\nsu\nsus\nsuya\nsuyas\nsuyo\nsuyos\nsí\n"
    "sólo\ntal\ntales\ntambién\ntampoco\ntan\ntanta\ntantas\ntanto\ntantos\n"
    "te\ntenemos\ntener\ntenga\ntengo\ntenido\ntenía\ntenían\nti\ntiene\n"
    "tienen\ntienes\ntoda\ntodas\ntodo\ntodos\ntras\ntu\ntus\ntuvieron\ntuvo\n"
    "tuya\ntuyas\ntuyo\ntuyos\ntú\nun\nuna\nunas\nunos\nusted\nustedes\nva\n"
    "van\nvarias\nvarios\nvosotras\nvosotros\nvoy\nvuestra\nvuestras\n"
    "vuestro\nvuestros\nya\nyo\nél\néramos\nésa\nése\nésta\néstas\néste\n"
    "éstos\n";

static const char swedish[] =
    "aldrig\nall\nalla\nallt\nalltid\nalltså\nandra\nannan\nannars\nannat\n"
    "antingen\natt\nav\nbakom\nbara\nbland\nblev\nbli\nblir\nblivit\nborde\n"
    "bort\nbägge\nbåda\nbåde\nbör\nde\ndem\nden\ndenna\ndenne\nderas\ndess\n"
    "dessa\ndessutom\ndet\ndetta\ndig\ndin\ndina\ndit\nditt\ndock\ndu\ndär\n"
    "därav\ndärefter\ndärför\ndärifrån\ndärmed\ndärtill\ndå\nefter\neftersom\n"
    "ej\neller\nemellertid\nen\nendast\nenligt\ner\nera\nert\nett\nfastän\n"
    "fick\nfler\nflera\nflest\nflesta\nfortfarande\nfram\nframför\nfrån\n"
    "färre\nfå\nfår\nfått\nför\nföre\nförst\nganska\ngenom\ngjorde\ngjort\n"
    "gång\ngör\ngöra\nha\nhade\nhaft\nhan\nhans\nhar\nheller\nhelt\nhem\n"
    "henne\nhennes\nhit\nhon\nhonom\nhos\nhur\nhär\nhärifrån\nicke\nigen\nin\n"
    "inga\ningen\ningenting\ninget\ninnan\ninom\ninte\ninuti\nja\njag\njo\n"
    "just\nkan\nkanske\nkring\nkunde\nkunna\nkunnat\nliksom\nlite\nlitet\n"
    "längs\nlät\nlåta\nlåter\nman\nmed\nmedan\nmellan\nmen\nmer\nmera\nmest\n"
    "mig\nmin\nmina\nmindre\nminst\nmitt\nmot\nmycket\nmå\nmånga\nmåste\nned\n"
    "nej\nner\nni\nnog\nnu\nnär\nnästan\nnågon\nnågonting\nnågot\nnågra\noch\n"
    "också\nofta\nom\nomkring\noss\nper\npå\nredan\nsamma\nsamt\nsedan\nsig\n"
    "sin\nsina\nsitt\nsjälv\nsjälva\nska\nskall\nskulle\nsnart\nsom\n"
    "särskilt\nså\nsådan\nsådana\nsådant\nsåsom\ntill\ntills\ntrots\nty\n"
    "under\nupp\nur\nut\nutan\nutanför\nutom\nvad\nvar\nvara\nvardera\n"
    "varför\nvarit\nvarje\nvarken\nvars\nvart\nvelat\nvem\nvems\nvi\nvia\n"
    "vid\nvilja\nvilka\nvilken\nvilket\nvill\nville\nvisst\nvore\nväl\nvår\n"
    "våra\nvårt\nän\nändå\nännu\när\näven\nåt\növer\n";

static const char tamil[] =
    "அங்கு\nஅங்கே\nஅதனால்\nஅதனை\nஅதன்\nஅதற்கு\nஅதிக\nஅதில்\nஅது\nஅதே\nஅதை\n"
    "அந்த\nஅந்தக்\nஅந்தச்\nஅந்தத்\nஅந்தப்\nஅனைத்து\nஅனைவரும்\nஅன்று\nஅப்படி\n"
    "அப்போது\nஅல்ல\nஅல்லது\nஅல்லாமல்\nஅவனது\nஅவனுக்கு\nஅவனை\nஅவன்\nஅவரது\n"
    "அவருக்கு\nஅவரை\nஅவர்\nஅவர்களது\nஅவர்களின்\nஅவர்களுக்கு\nஅவர்களை\n"
    "அவர்கள்\nஅவற்றின்\nஅவளது\nஅவளுக்கு\nஅவளை\nஅவள்\nஅவை\nஅவ்வாறு\nஆக\n"
    "ஆகவும்\nஆகவே\nஆகிய\nஆகியவை\nஆகும்\nஆகையால்\nஆன\nஆனாலும்\nஆனால்\nஇங்கு\n"
    "இங்கே\nஇடையே\nஇதனால்\nஇதனை\nஇதன்\nஇதற்கு\nஇதில்\nஇது\nஇதே\nஇதை\nஇந்த\n"
    "இந்தக்\nஇந்தச்\nஇந்தத்\nஇந்தப்\nஇன்னும்\nஇன்றி\nஇன்று\nஇப்படி\nஇப்போது\n"
    "இரு\nஇருக்கின்றன\nஇருக்கிறது\nஇருக்கும்\nஇருந்த\nஇருந்தது\nஇருந்தன\n"
    "இருந்து\nஇல்லாத\nஇல்லாமல்\nஇல்லை\nஇவன்\nஇவர்\nஇவர்கள்\nஇவற்றின்\nஇவள்\n"
    "இவை\nஇவ்வாறு\nஉங்களுக்கு\nஉங்கள்\nஉடன்\nஉண்டு\nஉனக்கு\nஉனது\nஉன்\nஉன்னை\n"
    "உள்\nஉள்ள\nஉள்ளது\nஉள்ளன\nஎங்களுக்கு\nஎங்கள்\nஎங்கு\nஎங்கே\nஎதிராக\nஎது\n"
    "எத்தனை\nஎந்த\nஎன\nஎனக்கு\nஎனது\nஎனப்படும்\nஎனவும்\nஎனவே\nஎனினும்\nஎனில்\n"
    "எனும்\nஎன்\nஎன்ன\nஎன்னும்\nஎன்னை\nஎன்பதால்\nஎன்பது\nஎன்பதை\nஎன்ற\n"
    "என்றால்\nஎன்று\nஎன்றும்\nஎப்படி\nஎப்போது\nஎல்லா\nஎல்லாம்\nஎவர்\nஎவை\n"
    "எவ்வளவு\nஎவ்வாறு\nஏனெனில்\nஏன்\nஒரு\nஒரே\nஒவ்வொரு\nஓர்\nகீழ்\nகுறைந்த\n"
    "கூட\nகூடாது\nகூடிய\nகூடும்\nகொண்ட\nகொண்டது\nகொண்டு\nகொள்ள\nசார்ந்த\nசில\n"
    "சிலர்\nசெய்த\nசெய்து\nசெய்ய\nசெய்யும்\nதங்கள்\nதனக்கு\nதனது\nதன்\nதன்னை\n"
    "தமது\nதவிர\nதான்\nதாம்\nதொடர்ந்து\nநமக்கு\nநமது\nநம்மை\nநாங்கள்\nநான்\n"
    "நாம்\nநீ\nநீங்கள்\nநோக்கி\nபற்றி\nபற்றிய\nபல\nபலர்\nபின்\nபின்னர்\nபிற\n"
    "பிறகு\nபெற்ற\nபோது\nபோன்ற\nபோல\nமட்டுமே\nமட்டும்\nமற்ற\nமற்றும்\nமிக\n"
    "மிகவும்\nமீது\nமுடியாது\nமுடியும்\nமுதல்\nமுன்\nமுன்னர்\nமுன்பு\nமூலம்\n"
    "மேலும்\nமேல்\nயார்\nவந்த\nவந்து\nவரும்\nவரை\nவழியாக\nவிட\nவிட்டது\n"
    "விட்டு\nவெளியே\nவேண்டாம்\nவேண்டும்\nவேறு\n";

static const char turkish[] =
    "altında\nama\nancak\narasında\nartık\nasla\naynı\nayrıca\naz\nbana\n"
    "bazen\nbazı\nbazıları\nbaşka\nbaşkası\nbelki\nben\nbende\nbenden\nbeni\n"
    "benim\nberi\nbile\nbir\nbiraz\nbiri\nbirileri\nbirisi\nbirkaç\nbirçok\n"
    "biz\nbizde\nbizden\nbize\nbizi\nbizim\nbu\nbuna\nbunda\nbundan\nbunlar\n"
    "bunlara\nbunları\nbunların\nbunu\nbunun\nburada\nburadan\nburaya\nböyle\n"
    "böylece\nböylelikle\nbütün\nda\ndaha\ndahi\ndaima\nde\ndek\ndeğil\n"
    "değin\ndiye\ndiğer\ndiğeri\ndiğerleri\ndolayı\ndolayısıyla\ndoğru\n"
    "dışında\nedecek\neden\neder\nederek\nedilen\nediyor\neh\nelbette\nen\n"
    "etmek\netti\nettiği\nettiğini\nevet\neğer\nfakat\nfazla\ngene\n"
    "genellikle\ngerek\ngerekir\ngibi\ngöre\nhakkında\nhangi\nhangisi\nhatta\n"
    "hayır\nhem\nhemen\nhenüz\nhep\nhepsi\nher\nherhangi\nherkes\nhiç\n"
    "hiçbir\nhiçbiri\nidi\niken\nile\nimiş\nise\niçin\niçinde\nişte\nkadar\n"
    "karşı\nkaç\nkendi\nkendileri\nkendine\nkendini\nkendisi\nkendisine\n"
    "kendisini\nki\nkim\nkime\nkimi\nkimin\nkimse\nlakin\nlazım\nmadem\n"
    "meğer\nmi\nmu\nmutlaka\nmü\nmı\nnasıl\nne\nneden\nnere\nnerede\nnereden\n"
    "neredeyse\nnereye\nnitekim\nniye\nniçin\nol\nolacak\nolan\nolarak\noldu\n"
    "olduğu\nolduğundan\nolduğunu\nolmadı\nolmak\nolması\nolmayan\nolmaz\n"
    "olmuş\nolsa\nolup\nolur\nolursa\noluyor\nona\nonda\nondan\nonlar\n"
    "onlara\nonlarda\nonlardan\nonları\nonların\nonu\nonun\norada\noradan\n"
    "oraya\noysa\npek\nrağmen\nsadece\nsana\nsanki\nsen\nsende\nsenden\nseni\n"
    "senin\nsiz\nsizde\nsizden\nsize\nsizi\nsizin\nsonra\nsürekli\nsık\n"
    "tabii\ntarafından\ntüm\ntümü\nvar\nvardı\nve\nveya\nya\nyaklaşık\n"
    "yalnız\nyalnızca\nyani\nyapacak\nyapan\nyapmak\nyaptı\nyapılan\nyapıyor\n"
    "yine\nyok\nzaten\nzira\nçok\nçoğu\nçünkü\nöbür\nönce\nötürü\nöyle\n"
    "özellikle\nüstelik\nüzere\nüzerinde\nüzerine\nşey\nşeyi\nşeyler\nşimdi\n"
    "şu\nşuna\nşunda\nşundan\nşunlar\nşunu\nşunun\nşurada\nşöyle\n";

static const char yiddish[] =
    "א\nאַ\nאַז\nאַזאַ\nאַזוי\nאַזעלכע\nאַלע\nאַלץ\nאַן\nאַנדער\nאַנדערע\n"
    "אַקעגן\nאַרויס\nאַרום\nאַרײַן\nאָבער\nאָדער\nאָן\nאבער\nאגב\nאויב\nאויך\n"
    "אויס\nאויף\nאויפן\nאון\nאונדז\nאונדזער\nאונז\nאונזער\nאונטער\nאז\nאזא\n"
    "אזוי\nאיבער\nאיז\nאייך\nאיין\nאייניקע\nאיינע\nאיינער\nאייער\nאיך\nאים\n"
    "אין\nאינעם\nאיצט\nאיר\nאלע\nאלץ\nאן\nאפֿשר\nאפשר\nאױך\nאױף\nאײַך\nביז\n"
    "ביי\nבין\nביסט\nבכלל\nבײַ\nבײַם\nגאָר\nגאָרנישט\nגעהאַט\nגעהאט\n"
    "געוואָרן\nגעווען\nגעװען\nדאַן\nדאַרף\nדאַרפֿן\nדאָ\nדאָך\nדאָס\nדאָרט\n"
    "דאס\nדארט\nדו\nדווקא\nדורך\nדי\nדיין\nדיך\nדעם\nדעמאָלט\nדער\nדײַן\n"
    "דײַנע\nהאָב\nהאָבן\nהאָט\nהאָסט\nהאב\nהאבן\nהאט\nוואָס\nוואו\nוואס\nווו\n"
    "ווי\nווידער\nווייַל\nווייל\nווייניק\nוויל\nווילן\nוועט\nוועל\nוועלכע\n"
    "וועלכער\nוועלן\nוועמען\nווען\nוועסט\nווער\nווערט\nווערן\nזאָל\nזאָלן\n"
    "זאל\nזי\nזיי\nזיין\nזיינען\nזייער\nזיך\nזינט\nזענט\nזענען\nזײַן\nזײַנע\n"
    "זײַנען\nזײער\nטאַקע\nיאָ\nיעדן\nיעדע\nיעדעס\nיעדער\nכאָטש\nלאָזן\n"
    "לאָמיר\nלויט\nלעבן\nלױט\nמוז\nמוזן\nמיט\nמיין\nמיך\nמיר\nמער\nמײַן\n"
    "מײַנע\nנאָך\nנאָכאַמאָל\nנאָר\nנאך\nנאר\nניט\nניין\nנישט\nעטלעכע\nעמעץ\n"
    "עס\nעפּעס\nער\nפֿאַר\nפֿאַרן\nפֿון\nפֿונעם\nפאַר\nפאַרוואָס\nפאר\n"
    "פארוואס\nפון\nפלעגט\nצו\nצווישן\nצום\nצונויף\nקאָן\nקאָנען\nקיין\n"
    "קיינמאָל\nקיינער\nקעגן\nקען\nקענען\nשוין\nתּמיד\nתמיד\nװאָס\nװוּ\nװי\n"
    "װיל\nװעט\nװעלן\nװען\nװער\nװערן\nװײַל\n";

static const struct {
    const char *name;
    const char *codes; /* between blanks */
    const char *words;
} lists[] = {
    {"arabic", " ar ara ", arabic},
    {"armenian", " hy hye arm ", armenian},
    {"basque", " eu eus baq ", basque},
    {"catalan", " ca cat ", catalan},
    {"danish", " da dan ", danish},
    {"dutch", " nl nld dut ", dutch},
    {"english", " en eng ", english},
    {"finnish", " fi fin ", finnish},
    {"french", " fr fra fre ", french},
    {"german", " de deu ger ", german},
    {"greek", " el ell gre ", greek},
    {"hindi", " hi hin ", hindi},
    {"hungarian", " hu hun ", hungarian},
    {"indonesian", " id ind ", indonesian},
    {"irish", " ga gle ", irish},
    {"italian", " it ita ", italian},
    {"lithuanian", " lt lit ", lithuanian},
    {"nepali", " ne nep ", nepali},
    {"norwegian", " no nor nb nob nn nno ", norwegian},
    {"portuguese", " pt por ", portuguese},
    {"romanian", " ro ron rum ", romanian},
    {"russian", " ru rus ", russian},
    {"serbian", " sr srp ", serbian},
    {"spanish", " es spa ", spanish},
    {"swedish", " sv swe ", swedish},
    {"tamil", " ta tam ", tamil},
    {"turkish", " tr tur ", turkish},
    {"yiddish", " yi yid ", yiddish},
};

#define LISTS (sizeof lists / sizeof *lists)

/* Whether a code is one of several. */
static bool is_code(const char *codes, const char *code)
{
    const size_t size = strlen(code);

    for (; codes[1] != '\0'; codes += strcspn(codes + 1, " ") + 1)
        if (strcspn(codes + 1, " ") == size &&
            memcmp(codes + 1, code, size) == 0)
            return size > 0;
    return false;
}

const char *tokenizer_stopwords(const char *language)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(language, lists[i].name) == 0 ||
            is_code(lists[i].codes, language))
            return lists[i].words;
    return NULL;
}

const char *tokenizer_stopwords_name(size_t i)
{
    return i < LISTS ? lists[i].name : NULL;
}

kedge_status tokenizer_check_stopwords(const char *name, kedge_error *err)
{
    char known[512] = "";
    size_t size = 0;

    if (tokenizer_stopwords(name) != NULL || access(name, F_OK) == 0)
        return KEDGE_OK;
    for (size_t i = 0; i < LISTS; i++)
        size += (size_t)snprintf(known + size, sizeof known - size, "%s%s",
                                 i > 0 ? ", " : "", lists[i].name);
    return kedge_fail(err, KEDGE_EINVAL,
                      "no stop words of \"%.80s\" are known, and no file is "
                      "called so: a file with a word a line was expected, or "
                      "one of %s", name, known);
}

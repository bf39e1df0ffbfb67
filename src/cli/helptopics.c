/* SPDX-License-Identifier: MIT */
/* What 'kedge help TOPIC' says. Paragraphs have an empty line between them;
 * one that begins with two blanks is printed as it is. */
#include "help.h"

#include <stddef.h>

const help_page help_pages[] = {
    {.name = "formats",
     .summary = "what documents can be read from",
     .text =
        "ingest and infer read plain, gzip and zstd files; the compression "
        "and the format are recognised by content. For a pipe, -, give the "
        "format with --from.\n\n"
        "Text, which kedge splits into words:\n\n"
        "  jsonl     a JSON object per line: "
        "{\"id\": \"1\", \"text\": \"...\"}\n"
        "            or one array of such objects\n"
        "  lines     a document per line\n"
        "  mallet    id, label and text, separated by blanks\n"
        "  tsv, csv  columns named by the first line; csv has quotes, and\n"
        "            comma, semicolon, tab or | between columns\n"
        "  files     a directory with a document per file\n\n"
        "Bags of words with their words:\n\n"
        "  jsonl     {\"id\": \"1\", \"text\": {\"word\": count, ...}}\n"
        "  vw        Vowpal Wabbit: label 'id | word:count ...\n\n"
        "Bags of words by number; --vocab FILE has the words, one per line:\n\n"
        "  uci       three lines with the numbers of documents, words and\n"
        "            entries, then \"document word count\" lines\n"
        "  svmlight  label word:count ... # id\n"
        "  ldac      entries, then word:count ..., words from 0\n"
        "  mtx       Matrix Market, documents by words\n\n"
        "--text-field, --id-field and --label-field name the fields or columns "
        "of jsonl, tsv and csv. A name with dots goes into nested objects "
        "(meta.title). Several names, separated by commas, are joined; a file "
        "need not have all of them. Columns may be numbers. '--id-field none' "
        "reads no ids. The store remembers these options for later ingests and "
        "for infer.\n\n"
        "Directories are read with all their subdirectories. Without --from, "
        "each table and JSON file in them is read record by record, like a "
        "file of its own; every other text file is one document, whose id is "
        "its path. '--from files' reads every file as one document. Symbolic "
        "links to files are followed, links to directories are not. Hidden "
        "files, pipes, sockets and devices are skipped, and so are binary "
        "files. The summary counts all of these.\n\n"
        "Input that is not UTF-8 is decoded by --encoding (latin1, cp1252 or "
        "another name that 'iconv -l' lists); byte order marks are recognised. "
        "The summary counts bytes that could not be decoded.\n\n"
        "A malformed record stops the ingest with file, line and reason. With "
        "--skip-bad it is counted and skipped, and so are files that cannot be "
        "read or are in another format, such as a PDF."},
    {.name = "text",
     .summary = "how text is split into words",
     .text =
        "A word is a run of 2 to 64 letters, in lower case. --min-chars and "
        "--max-chars change the limits. Words with digits are dropped unless "
        "--digits is given, and so are URLs and e-mail addresses.\n\n"
        "An apostrophe inside a word stays (don't). A final 's is removed "
        "(dog's becomes dog), and so are articles before an apostrophe "
        "(l'amour becomes amour). Hyphens separate words. Dots between single "
        "letters stay (u.s.a).\n\n"
        "HTML tags, scripts and styles are removed. Mail is decoded as its "
        "headers say, and attachments that are not text are left out. A text "
        "that is just [removed] or [deleted] is empty.\n\n"
        "Chinese and Japanese are split into pairs of neighbouring "
        "characters. Thai, Lao, Khmer and Burmese have no blanks between "
        "words and are not split; the summary warns about them.\n\n"
        "--stem LANGUAGE cuts word endings off (english, german, french ...). "
        "--stopwords of ingest leaves words out of the store for good; without "
        "it the words are stored, and fit leaves the English stop words "
        "out.\n\n"
        "The first ingest of text settles these options for the store. Later "
        "ones need not repeat them, and other values are refused. 'kedge info' "
        "shows them."},
    {.name = "words",
     .summary = "which words a model is made of",
     .text =
        "Every fit chooses its vocabulary by a rule. By default it takes words "
        "in at least 5 documents (2 in a store of fewer than 1,000) and in at "
        "most half of the documents, without the English stop words. Each "
        "option changes one of these bounds: '--min-df 1 --max-df 1 "
        "--stopwords none' takes all words. With --keep-words only the words "
        "of a file are taken, and in stores that were ingested with --vocab "
        "all words; other options can still leave some out. --max-df up to 1 "
        "is a share of the documents, above 1 a number of them.\n\n"
        "Words in files (--stopwords, --keep-words, --drop-words) are "
        "lower-cased and stemmed like the store's texts.\n\n"
        "--phrases N joins words that often stand next to each other, up to N "
        "of them: 2 finds neural_network. --phrase-df and --phrase-score say "
        "how often and how strongly (normalised pointwise mutual information: "
        "0 by chance, 1 never apart). It takes N passes over the store.\n\n"
        "A vocabulary, a term weighting and the sketch made with them are an "
        "index of the store. A fit uses the index again as long as its rule "
        "gives the same words. When documents came or left and the rule gives "
        "other words, fit makes a new index by one pass over the store and "
        "drops the old one. '--freeze' saves that pass: it keeps the words of "
        "the earlier model (of --align, else of the model it replaces, else of "
        "the last one). '--index N' uses a given index. 'kedge info' lists "
        "indexes, 'kedge drop --index N' deletes one.\n\n"
        "Index 0 has all words. 'ingest --vocab' makes it while it reads; once "
        "dropped, it does not come back with later documents."},
    {.name = "methods",
     .summary = "what each method of fit and infer does",
     .text =
        "fit: the sketch Z = C W estimates the co-occurrence C of words. Its K "
        "leading eigenvectors, rectified so that the low-rank co-occurrence "
        "has no large negative entries, give one anchor word per topic. Every "
        "other word is a mixture of the anchors; these mixtures give the "
        "topics B and the topic co-occurrence A with C = B A B'.\n\n"
        "--tf says how a word that occurs h times in a document counts: raw: "
        "h, the papers' unbiased estimate. log: 1 + ln h. sqrt: the square "
        "root of h.\n\n"
        "--power-iter P sharpens the eigenvectors by passes over the store; "
        "the summary says whether one would help. --em-iter P raises the "
        "likelihood of the topics by passes of expectation maximisation. "
        "--ncut weights documents by the normalised cut, for corpora of very "
        "uneven groups, by two passes and with a sketch of its own.\n\n"
        "Numbers of topics: by falling prevalence; with --align MODEL, topics "
        "that are found again keep their numbers and labels.",
     .methods = true},
    {.name = "measures",
     .summary = "what eval measures",
     .text = "C is the co-occurrence of words, B p(word|topic), A the topic "
             "co-occurrence, N words, K topics, |.| the Frobenius norm.",
     .measures = true},
    {.name = "updates",
     .summary = "adding, replacing and removing documents",
     .text =
        "ingest commits as it reads, some twenty thousand documents at a time. "
        "After an interruption the same command continues where it stopped. A "
        "file that was read to its end is not stored again, and a file that "
        "grew is read from there. Directories can be ingested again when files "
        "came or changed.\n\n"
        "A document whose id the store has is an error, or skipped, or "
        "replaces the old one: --on-duplicate. --dedupe leaves out documents "
        "with the same words. --batch names what an ingest adds, so that "
        "'kedge remove --batch NAME' can take it out.\n\n"
        "A document without an id is SOURCE:POSITION, as 'kedge cat' shows it. "
        "When it is removed, counts and sketches are what they would be had it "
        "never been there, to the last bit. Its disk space is freed by 'kedge "
        "compact'.\n\n"
        "Models stay as they are until the next fit. 'kedge topics' and others "
        "warn when documents came or left since. Proportions that 'kedge infer "
        "--save' stored go with their model; they are those of the documents "
        "at that time, and commands that use them count the documents that "
        "came later.\n\n"
        "'kedge merge' adds stores. The result has the bytes of one store that "
        "read everything. Sources that are there already are not added "
        "twice. Models and indexes of chosen words do not come along: fit "
        "again."},
    {.name = "machines",
     .summary = "many processes, many machines",
     .text =
        "With MPI: 'mpirun -n R kedge ingest STORE FILE...' deals the files "
        "out to R ranks, each with a store STORE.0, STORE.1, ... and its own "
        "--memory. The same command, with as many ranks or more, continues "
        "after an interruption. 'mpirun -n R kedge fit STORE' fits one model "
        "to all of them; rank 0 stores it in STORE. It has the bytes of a "
        "model of one store. Options that pass over the documents are refused "
        "there, and so are methods other than the default. 'mpirun -n R kedge "
        "infer STORE -o FILE' has each rank write the documents of its store "
        "to FILE.0, FILE.1, ...\n\n"
        "Without MPI: ingest a part on each machine, 'kedge sketch export' its "
        "counts and sketch to a file, and 'kedge sketch import' all files into "
        "one store. The documents stay where they are. Parts add up when their "
        "sketches have the same words, --tf, --sketch-size, --seed and "
        "--min-tokens: all words (ingest --vocab, --all-words) or the words of "
        "a file (--keep-words). To choose words by the counts of all parts, "
        "first export with --counts, choose from 'kedge vocab', then export "
        "sketches of these words.\n\n"
        "On a store of parts fit, topics, word, report, export and diff work. "
        "What needs the documents themselves is refused (--power-iter, "
        "--em-iter, --ncut, --cooccurrence, repair) or left out (eval, sweep, "
        "report). A file is imported once; documents in two parts count "
        "twice."},
    {.name = "files",
     .summary = "what infer and export write",
     .text =
        "TSV and JSON are stable, tables for people are not. Words, ids and "
        "labels in TSV are exact: tell a spreadsheet to read them as text, or "
        "it runs one that begins with = as a formula.\n\n"
        "infer, a line per document: id, tokens in the model, tokens out of "
        "vocabulary, misfit, flag, topics as NUMBER:PROPORTION. The misfit is "
        "the distance between the document's words and its mixture's (total "
        "variation, 0 to 1). The flag is ok, empty (no words), unknown (none "
        "in the model), single (one token) or unsettled (not converged). "
        "Topics below --threshold are left out, so rows may sum to less than "
        "1; --dense writes all topics. In TSV, control characters of ids "
        "become '?'. npy is a matrix, documents by topics, in the order of "
        "'kedge cat'.\n\n"
        "infer --save keeps the proportions in the store, rounded to multiples "
        "of 1/65536 and without those below 1/4096.\n\n"
        "export, in DIR:\n\n"
        "  vocab.txt               a word per line: the rows\n"
        "  topics.npy              words x topics, p(word|topic)\n"
        "  topic_cooccurrence.npy  topics x topics, A\n"
        "  word_probability.npy    p(word)\n"
        "  anchors.txt             the anchor of each topic\n"
        "  weights.npy             the weights d (with --term-weight)\n"
        "  weighted_topics.npy     topics with the weights, columns sum to 1\n"
        "  doc_topics.npy          documents x topics (after infer --save)\n"
        "  documents.txt           their ids\n"
        "  model.json              options, versions, digests, figures\n\n"
        "and with the options\n\n"
        "  --spectrum              eigenvectors, eigenvalues, rectified rows\n"
        "  --cooccurrence          cooccurrence.npy or cooccurrence.mtx\n"
        "  --also graphml          topics that occur together, as a graph\n"
        "  --also csv              topic_cooccurrence.csv\n"
        "  --also counts           counts.mtx, documents by words\n"
        "  --also pyldavis         what pyLDAvis.prepare takes\n"
        "  --also mallet           keys, doc-topics and state like MALLET\n\n"
        "In documents.txt \\n, \\r and \\\\ stand for line ends and "
        "backslashes. In csv a name that begins with =, +, - or @ has an "
        "apostrophe before it. Topics and topic co-occurrence are without the "
        "weights; --spectrum arrays are with them. mallet's alpha is that of "
        "the nearest Dirichlet distribution, its beta MALLET's 0.01."},
    {.name = "memory",
     .summary = "how much memory each step needs",
     .text =
        "--memory limits the resident memory of a command. kedge computes the "
        "need before the first document and refuses the command when the limit "
        "is too small (exit code 4).\n\n"
        "The need grows with the words and the topics, not with the documents. "
        "For V different words in the documents, N in the model, K topics and "
        "a sketch of L columns:\n\n"
        "  ingest                    0.17 GB + 120 V; less for small files\n"
        "  the sketch, in memory     0.25 GB + 8.4 N L\n"
        "  the sketch, on the disk   0.3 GB + 200 N\n"
        "  fit                       0.15 GB + 40 V + 1,000 N + 48 N K,\n"
        "                            or as ingest where that is more\n"
        "  infer                     0.1 GB + 140 V + 12 N K\n\n"
        "With two threads there is room for\n\n"
        "  --memory                       1G          4G          16G\n"
        "  V, in documents         8,000,000  33,000,000  130,000,000\n"
        "  N, sketch of L = 1,000    110,000     480,000    2,000,000\n"
        "  N, fit -k 50              280,000   1,200,000    5,000,000\n"
        "  N, fit -k 100             160,000     720,000    2,900,000\n"
        "  N, fit -k 300              50,000     260,000    1,000,000\n\n"
        "A sketch that does not fit lies in a mapped file and is made more "
        "slowly.\n\n"
        "When a command is refused: give it more memory, fewer words (--min-df "
        "or --vocab-size), a smaller --sketch-size or fewer threads."},
    {.name = "reproducibility",
     .summary = "what gives the same bytes",
     .text =
        "The same documents and options give the same model, byte for byte: "
        "for any number of threads, any order of the files, in one run or in "
        "several that were interrupted, after documents were added and "
        "removed again, after merges, and for one process or many. All "
        "randomness comes from --seed. This holds on one type of processor; "
        "others differ in the last digits.\n\n"
        "Every fit applies its rule for words ('kedge help words') to the "
        "documents that are there; only --freeze and --index keep earlier "
        "words. The numbers and labels of topics follow the model that is "
        "replaced, or the one of --align; '--align none' numbers them by "
        "prevalence.\n\n"
        "'kedge verify' prints digests by which two stores can be compared. A "
        "model keeps its options, its seed and the digest of its documents "
        "('kedge info --model', model.json of 'kedge export')."},
    {.name = "exit-codes",
     .summary = "what a command ends with",
     .text = EXIT_CODES "\n\n"
        "Standard output has data only; messages go to standard error. It is "
        "no failure when the reader of the output leaves early, like head. "
        "After 130 the same command continues where it stopped.\n\n"
        "word and vocab end with 1 when a word is not there, verify with 3 "
        "when it finds damage."},
    {.name = "progress",
     .summary = "progress for people and for programs",
     .text =
        "On a terminal a line on standard error shows the stage, the share "
        "done, documents and bytes per second, and the time left. --progress "
        "bar shows it always, none never.\n\n"
        "--progress json writes lines of JSON on standard error: when a stage "
        "begins, when it ends, and in between at least once and at most ten "
        "times a second:\n\n"
        "  {\"kedge_progress\": 1, \"stage\": \"reading\",\n"
        "  \"done\": 31457280, \"total\": 62914560, \"unit\": \"bytes\",\n"
        "  \"documents\": 150000, \"seconds\": 4.2, \"left\": 4.2}\n\n"
        "each on one line. kedge_progress is the version of the format. total "
        "is 0 where it is not known, and may fall when less is needed. unit "
        "is empty where only the share means something. documents are those "
        "read so far, or 0. seconds are since the stage began. left is the "
        "seconds that remain, or null. The stage is \"working\" where a "
        "command has named none for a second. Members may be added in the same "
        "version. Other lines on standard error do not begin with a brace; "
        "--quiet leaves out those that are no errors."},
    {.name = NULL},
};

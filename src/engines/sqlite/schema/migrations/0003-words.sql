-- The words of memories, for hybrid search. A new content takes a new revision, so that a word's entries only ever grow at the end.
ALTER TABLE memory ADD COLUMN content_revision INTEGER NOT NULL DEFAULT 0;
UPDATE memory SET content_revision = revision;

-- Row (project << 40) + content_revision, so that one project's entries of a word lie together. It keeps neither texts nor
-- positions; words() of words.ts has split what goes in and what is taken out. Marks belong to words, as in many scripts of Asia.
CREATE VIRTUAL TABLE memory_word USING fts5 (
  words,
  content = '',
  columnsize = 0,
  detail = none,
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);

-- Segments are merged between calls, in small steps, never inside a commit; see word-merge.ts.
INSERT INTO memory_word (memory_word, rank) VALUES ('automerge', 0);
INSERT INTO memory_word (memory_word, rank) VALUES ('usermerge', 8);
INSERT INTO memory_word (memory_word, rank) VALUES ('crisismerge', 500);

INSERT INTO memory_word (rowid, words)
SELECT (project << 40) + content_revision, words(content) FROM memory ORDER BY project, content_revision;

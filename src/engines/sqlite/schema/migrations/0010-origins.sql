-- Where the words of memories were said, and passages of conversations.

-- origins: where the words of a memory were said, as the API shows it: a JSON array; NULL: it is not known.
ALTER TABLE memory ADD COLUMN origins TEXT CHECK (json_type(origins) = 'array');
-- lead: what stands before the content in the text that is embedded, such as the name of the speaker; NULL: nothing.
ALTER TABLE memory ADD COLUMN lead TEXT;
-- former_of: id of the memory that had this content before an extraction updated it; NULL: none.
ALTER TABLE memory ADD COLUMN former_of TEXT;

-- Passages of conversations are memories of a kind of their own: memory_type is 'passage', in pools of their own.
-- passage_of: of a passage, the project whose memory it is or whose subject's, so that the oldest ones are found; NULL: it is kept.
ALTER TABLE memory ADD COLUMN passage_of INTEGER;
CREATE INDEX memory_passage ON memory (passage_of) WHERE passage_of IS NOT NULL;
INSERT INTO pool (project, memory_type, epoch, memories) SELECT DISTINCT project, 'passage', 1, 0 FROM pool;

-- passage_limit: overrides the plan; NULL: as in the plan. subject_passages: of a project, the passages of all its subjects, which
-- subject_memories does not count.
ALTER TABLE project ADD COLUMN passage_limit INTEGER;
ALTER TABLE project ADD COLUMN subject_passages INTEGER NOT NULL DEFAULT 0;

-- A change of the embedding model in older formats needed a stopped server and a table of its own. One that was interrupted begins again.
DROP TABLE IF EXISTS memory_vector_next;
DELETE FROM installation WHERE name = 'next_embedding_model';

-- The vectors of the next model while the model changes. At the end this table and memory_vector exchange their names, which costs the
-- same for any number of memories; then it has the vectors of the former model, which are deleted in small steps.
CREATE TABLE memory_vector_next (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT;

-- Memories that got another content after their next vector was computed.
CREATE TABLE memory_vector_outdated (
  memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE
) STRICT;

-- What is known of the words of a memory besides the words.
-- origins: where the words of a memory were said, as the API shows it: a JSON array; NULL: it is not known.
ALTER TABLE memory ADD COLUMN origins TEXT CHECK (json_type(origins) = 'array');
-- lead: what stands before the content in the text that is embedded, such as the name of the speaker; NULL: nothing.
ALTER TABLE memory ADD COLUMN lead TEXT;
-- former_of: id of the memory that had this content before an extraction updated it; NULL: none.
ALTER TABLE memory ADD COLUMN former_of TEXT;

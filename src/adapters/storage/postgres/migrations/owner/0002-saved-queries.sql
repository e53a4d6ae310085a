-- Queries are saved under names as layouts and templates of charts are.
ALTER TABLE layouts DROP CONSTRAINT layouts_kind_check;
ALTER TABLE layouts ADD CONSTRAINT layouts_kind_check CHECK (kind IN ('layout', 'template', 'query'));

-- The commit log is gone: what is committed here is the only truth (docs/decisions/0020). Its file was found empty before.
DROP TABLE commit_log;

-- What was sent with a run that was asked for, such as models' answers or a
-- judge's predictions: kept until the run has ended, so that one that waits can
-- be carried out after a restart. It stands after the result, since lists of
-- runs read neither.
ALTER TABLE run ADD COLUMN sent BLOB;

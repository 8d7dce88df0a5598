"""The store as it was before a filtered list had its own way through the sessions."""

THIRD_FORMAT = """
DROP TRIGGER tags_follow_overviews; DROP INDEX tags_by_activity; DROP INDEX overviews_on_top;
DROP INDEX overviews_by_project; ALTER TABLE tags DROP COLUMN place; ALTER TABLE tags DROP COLUMN active_at;
PRAGMA user_version = 3
"""

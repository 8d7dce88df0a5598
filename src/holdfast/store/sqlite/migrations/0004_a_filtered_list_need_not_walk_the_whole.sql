-- A list that is asked for by project, by tag, or for what stands on top reads only what it shows. Each of these is kept
-- by the database itself: a runner of an earlier program goes on through an upgrade, and knows nothing of them.

CREATE INDEX overviews_by_project ON overviews (place, project, active_at, session) WHERE project <> '';
CREATE INDEX overviews_on_top ON overviews (place, active_at, session)
    WHERE alive OR CAST(body AS TEXT) ->> '$.pinned';

-- Where a session stands in the list of each of its tags. Tags are written anew after every change of their overview.
ALTER TABLE tags ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tags ADD COLUMN active_at INTEGER NOT NULL DEFAULT 0;
UPDATE tags SET place = o.place, active_at = o.active_at FROM overviews o WHERE o.session = tags.session;
CREATE INDEX tags_by_activity ON tags (tag, place, active_at, session);
CREATE TRIGGER tags_follow_overviews AFTER INSERT ON tags BEGIN
    UPDATE tags SET place = o.place, active_at = o.active_at FROM overviews o
    WHERE tags.tag = NEW.tag AND tags.session = NEW.session AND o.session = NEW.session;
END;

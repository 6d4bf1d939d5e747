-- Questions that the store can answer: sqlite3 questions.db <queries.sql
-- The view `items` has the feed from its top to the first gap. The table `item` also has what is below, and what is deleted.
-- Text is escaped for HTML, as in the API.
.headers off
.mode list
.separator "  "
.print -- newest questions
SELECT datetime(json_extract(data, '$.creation_date'), 'unixepoch'), json_extract(data, '$.title')
FROM items LIMIT 5;

.print -- questions by tag
SELECT printf('%3d', count(*)), tag.value
FROM items, json_each(items.data, '$.tags') AS tag
GROUP BY tag.value ORDER BY count(*) DESC, tag.value LIMIT 5;

.print -- who asks most
SELECT printf('%3d', count(*)), json_extract(data, '$.owner.display_name') AS name
FROM items
GROUP BY name ORDER BY count(*) DESC, name LIMIT 3;

.print -- unanswered, most viewed first
SELECT printf('%3d', json_extract(data, '$.view_count')), json_extract(data, '$.title')
FROM items WHERE NOT json_extract(data, '$.is_answered')
ORDER BY json_extract(data, '$.view_count') DESC, id LIMIT 5;

.print -- edited since they were first seen
SELECT id, json_extract(data, '$.title') FROM items WHERE changed_at IS NOT NULL;

.print -- deleted
SELECT id, json_extract(data, '$.title') FROM item WHERE gone_at IS NOT NULL ORDER BY position;

.print -- gaps
SELECT state, 'between ' || above || ' and ' || below FROM gaps;
SELECT count(*) || ' of them' FROM gaps;

-- Adds the records that are not there yet to a stream. KEYS: the stream, and optionally the sorted set of seen records or
-- the hash of what is trimmed next. ARGV: `seen` or `trim`, which says what the second key is; the number of records; and
-- the records, one a line. Returns their number, or REFUSED and the reason.
local stream = KEYS[1]
local seen, trimmed = ARGV[1] == 'seen' and KEYS[2], ARGV[1] == 'trim' and KEYS[2]
local count, batch = tonumber(ARGV[2]), ARGV[3]

-- A filter in front that died may have cut its output anywhere.
local _, lines = batch:gsub('\n', '')
if lines ~= count or batch:sub(-1) ~= '\n' then return 'the batch was cut' end

-- The text to compare. A record that is read again may have another time of arrival, after `data`. A time in `data` is data.
local function text(line)
  local before, after = line:match('^(.*),"time":"[^"]*"([^{}%[%]]*})$')
  return before and before .. after or line
end

-- Most tools begin a record like this. Other records are decoded, which works only 1,000 levels deep.
local function id_of(line)
  local plain = line:match('^{"event":"[^"\\]*","id":"([^"\\]*)"')
  if plain then return plain end
  local is_json, record = pcall(cjson.decode, line)
  return is_json and type(record) == 'table' and record.id
end

-- True if the record was added under its number, or was there. Several records may have one id: 42-1, 42-2.
local function add(line, id)
  local there = redis.call('XRANGE', stream, id, id)
  for _, entry in ipairs(there) do
    if text(entry[2][2]) == text(line) then
      if trimmed then redis.call('HSET', trimmed, 'at', entry[1]) end
      return true
    end
  end
  -- A change whose id is already used was made for another document. So was one that does not follow the last entry: the
  -- record before it, `at`, came again, and what was added after that did not.
  local is_document = line:find('^{"event":"data"')
  if trimmed and not is_document then
    local at, newest = redis.call('HGET', trimmed, 'at'), redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
    if #there > 0 or at and newest and newest[1] ~= at then return false end
  end
  local answer = redis.pcall('XADD', stream, id .. '-' .. #there + 1, 'record', line)
  if type(answer) == 'table' and answer.err then
    if answer.err:find('equal or smaller', 1, true) then return false end
    error(answer.err)
  end
  if trimmed then redis.call('HSET', trimmed, 'at', answer) end
  if trimmed and is_document then redis.call('HSET', trimmed, 'last', answer) end
  return true
end

-- `last` is the last whole document. `next` was the last one at the time `since`. What is before `next` is removed when
-- `since` is a minute ago.
local function trim(now)
  local known = redis.call('HMGET', trimmed, 'last', 'next', 'since')
  local last, next, since = known[1], known[2], known[3]
  if not last or since and now < since + 60 then return end
  if next then redis.call('XTRIM', stream, 'MINID', next) end
  redis.call('HSET', trimmed, 'next', last, 'since', now)
end

local now = redis.call('TIME')[1]
for line in batch:gmatch('[^\n]+') do
  local id = id_of(line)
  if seen then
    local mark = redis.sha1hex(text(line))
    -- A record without an id cannot be recognized, so it is always added.
    if not id or not redis.call('ZSCORE', seen, mark) then
      redis.call('XADD', stream, '*', 'record', line)
      redis.call('ZADD', seen, now, mark)
    end
  elseif not id or not id:match('^%d+$') or #id > 19 then
    return 'REFUSED no whole number as id: ' .. line:sub(1, 80)
  elseif not add(line, id) then
    return 'REFUSED ' .. id .. ' comes late: it, or a greater id, is in the stream'
  end
end
if trimmed then trim(tonumber(now)) end
return count

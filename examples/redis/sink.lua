-- Adds the records that are not there yet to a stream. KEYS: the stream, and perhaps the sorted set of what was seen, or
-- the hash of where the stream begins. ARGV: `seen` or `base`, which of them; how many records there are; and the
-- records, one a line. Answers their number, or REFUSED and why.
local stream = KEYS[1]
local seen, base = ARGV[1] == 'seen' and KEYS[2], ARGV[1] == 'base' and KEYS[2]
local count, batch = tonumber(ARGV[2]), ARGV[3]

-- What a filter in front has left when it died ends anywhere.
local _, lines = batch:gsub('\n', '')
if lines ~= count or batch:sub(-1) ~= '\n' then return 'the batch was cut' end

-- The same record that is read again may bring another time of arrival. That stands after `data`; a time within it is data.
local function text(line)
  local before, after = line:match('^(.*),"time":"[^"]*"([^{}%[%]]*})$')
  return before and before .. after or line
end

-- Most tools begin like this. A record that does not is decoded, which goes only 1,000 levels deep.
local function id_of(line)
  local plain = line:match('^{"event":"[^"\\]*","id":"([^"\\]*)"')
  if plain then return plain end
  local is_json, record = pcall(cjson.decode, line)
  return is_json and type(record) == 'table' and record.id
end

-- Whether it was added by number, or was there. Several records may have one id: 42-1, 42-2.
local function add(line, id)
  local there = redis.call('XRANGE', stream, id, id)
  for _, entry in ipairs(there) do
    if text(entry[2][2]) == text(line) then return true end
  end
  local answer = redis.pcall('XADD', stream, id .. '-' .. #there + 1, 'record', line)
  if type(answer) == 'table' and answer.err then
    if answer.err:find('equal or smaller', 1, true) then return false end
    error(answer.err)
  end
  if base and line:find('^{"event":"data"') then redis.call('HSET', base, 'id', answer) end
  return true
end

-- What is before a whole document goes when that is a minute old. Who comes late begins at a newer one.
local function trim(now)
  local old = redis.call('HMGET', base, 'id', 'next', 'since')
  if not old[1] or old[3] and now < old[3] + 60 then return end
  if old[2] then redis.call('XTRIM', stream, 'MINID', old[2]) end
  redis.call('HSET', base, 'next', old[1], 'since', now)
end

local now = redis.call('TIME')[1]
for line in batch:gmatch('[^\n]+') do
  local id = id_of(line)
  if seen then
    local mark = redis.sha1hex(text(line))
    -- A record without an id cannot be known again.
    if not id or not redis.call('ZSCORE', seen, mark) then
      redis.call('XADD', stream, '*', 'record', line)
      redis.call('ZADD', seen, now, mark)
    end
  elseif not id or not id:match('^%d+$') or #id > 19 then
    return 'REFUSED no whole number as id: ' .. line:sub(1, 80)
  elseif not add(line, id) then
    return 'REFUSED ' .. id .. ' comes late: a greater id is in the stream'
  end
end
if base then trim(tonumber(now)) end
return count

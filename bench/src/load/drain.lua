-- Load for a fixed time that ends without a request in flight. After the deadline every connection is delayed
-- indefinitely, so that sent requests are still answered and counted. The counts are exact, to compare with a ledger.
-- After the last response it prints a line on standard output and waits to be interrupted.
-- Arguments: seconds, number of identifiers, file of keys (one per line), file for the report, connections.
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long micros; } bench_time;
  int gettimeofday(bench_time *time, void *zone);
]]
local clock = ffi.new('bench_time')
local function now()
  ffi.C.gettimeofday(clock, nil)
  return tonumber(clock.seconds) + tonumber(clock.micros) / 1e6
end

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

started, last, sent = 0, 0, 0
local deadline, seconds, ids, connections
local pauses, allowed = 0, 0
local tails = {}

function init(args)
  seconds, ids, report, connections = tonumber(args[1]), tonumber(args[2]), args[4], tonumber(args[5])
  for key in io.lines(args[3]) do
    table.insert(tails, ' HTTP/1.1\r\nHost: ' .. wrk.host .. ':' .. wrk.port .. '\r\nApiKey: ' .. key .. '\r\n\r\n')
  end
  math.randomseed(os.time())
end

function request()
  sent = sent + 1
  local tail = tails[#tails == 1 and 1 or math.random(#tails)]
  return string.format('GET /v1/people/profile?profile_id=p%07d', math.random(0, ids - 1)) .. tail
end

-- Called before every request: once per connection at the start, and then after every response.
function delay()
  last = now()
  pauses = pauses + 1
  if not deadline then
    started, deadline = last, last + seconds
  end
  if last < deadline then
    allowed = allowed + 1
    return 0
  end
  -- wrk generates one request without sending it. The run is over when all allowed requests are sent and answered.
  if allowed == sent - 1 and pauses - connections == sent - 1 then
    io.stdout:write('drained\n')
    io.stdout:flush()
  end
  return 3600000
end

function done(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  local file = io.open(thread:get('report'), 'w')
  file:write(string.format(
    '{"answered":%d,"refused":%d,"sent":%d,"broken":%d,"seconds":%.6f,"p50Us":%d,"p99Us":%d,"cpuSeconds":%.3f}',
    summary.requests, errors.status, thread:get('sent') - 1,
    errors.connect + errors.read + errors.write,
    thread:get('last') - thread:get('started'), latency:percentile(50), latency:percentile(99), os.clock()))
  file:close()
end

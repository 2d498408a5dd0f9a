import type { Slot, SlotStore } from './slot-store.ts';

/** Sends a command to Redis. */
export type SendRedis = (name: string, ...args: string[]) => Promise<unknown>;

/**
 * The generic cell rate algorithm (ITU-T I.371) for requests and for rows. Times are whole microseconds, which Lua
 * represents exactly. If the server's clock is set back, the counted times move with it; otherwise nothing would be sent until
 * the clock had caught up. The key expires a minute after it has no effect any more.
 */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local perRequest, rows, perRow, horizon = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held = redis.call('HMGET', KEYS[1], 'seen', 'sent', 'rows_at', 'rows')
local slot, sent, rowsAt, lastRows = now, now, now, 0
if held[1] then
  local back = math.max(0, held[1] - now)
  sent, rowsAt, lastRows = held[2] - back, held[3] - back, tonumber(held[4])
  slot = math.ceil(math.max(now, sent + perRequest, rowsAt + lastRows * perRow))
end
if not horizon or slot - now <= horizon then
  sent = slot
  if rows > 0 then rowsAt, lastRows = slot, rows end
end
local function text(number) return string.format('%.0f', number) end
redis.call('HSET', KEYS[1], 'seen', text(now), 'sent', text(sent), 'rows_at', text(rowsAt), 'rows', text(lastRows))
local over = math.max(sent + perRequest, rowsAt + lastRows * perRow) - now
redis.call('PEXPIRE', KEYS[1], text(math.ceil(math.max(0, over) / 1000) + 60000))
return { text(slot), text(slot - now) }
`;

/** Counts in a key of Redis for each run. */
export const redisSlots = (send: SendRedis): SlotStore => ({
  async reserve(run, rows, rates, horizon): Promise<Slot> {
    const args = [1e6 / rates.requests, rows, 1e6 / rates.rows].map(String);
    if (horizon !== undefined) args.push(String(1000 * horizon));
    const [at, wait] = (await send('EVAL', RESERVE, '1', keyOf(run), ...args)) as [string, string];
    return { at: Number(at) / 1000, wait: Number(wait) / 1000 };
  },
  async forget(run) {
    await send('DEL', keyOf(run));
  },
});

const keyOf = (run: string): string => `rowcast:pace:${run}`;

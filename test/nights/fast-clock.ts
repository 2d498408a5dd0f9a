// Preloaded before a command whose night is long: an hour of its clocks and timers takes NIGHT_HOUR_MS milliseconds.
import { createRequire, syncBuiltinESMExports } from 'node:module';

const factor = 3_600_000 / Number(process.env.NIGHT_HOUR_MS ?? 3_600_000);

const RealDate = Date;
const begun = RealDate.now();
const dateNow = (): number => Math.round(begun + (RealDate.now() - begun) * factor);
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [dateNow()] : args),
  get: (target, name) => (name === 'now' ? dateNow : Reflect.get(target, name)),
});

const realNow = performance.now.bind(performance);
performance.now = () => realNow() * factor;

const soon = (ms = 0): number => ms / factor;
const require = createRequire(import.meta.url);
const timers: typeof import('node:timers') = require('node:timers');
const { setTimeout: timeout, setInterval: interval } = timers;
const scale = <T extends typeof timeout | typeof interval>(timer: T): T =>
  Object.assign(((act: () => void, ms?: number, ...args: []) => timer(act, soon(ms), ...args)) as T, timer);
const scaled = { setTimeout: scale(timeout), setInterval: scale(interval) };
Object.assign(timers, scaled);
Object.assign(globalThis, scaled);
const promised: typeof import('node:timers/promises') = require('node:timers/promises');
const { setTimeout: sleep } = promised;
promised.setTimeout = (ms, value, options) => sleep(soon(ms), value, options);
syncBuiltinESMExports();

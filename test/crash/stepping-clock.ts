// Preloaded before the command: its wall clock steps by hours, back and forth, and starts six hours behind.
const HOURS = 3600_000;
const STEPS = [-6, 6, -1, 24, 0] as const;
const EVERY_MS = 100;

const RealDate = Date;
const begun = performance.now();
const now = (): number => {
  const step = Math.floor((performance.now() - begun) / EVERY_MS) % STEPS.length;
  // The first request is made well after the first step, so its response is also handled six hours behind.
  const hours = performance.now() - begun < 5000 ? STEPS[0] : (STEPS[step] ?? 0);
  return RealDate.now() + hours * HOURS;
};

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

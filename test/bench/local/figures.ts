import { median, type Taken } from '../runs.ts';

/** Medians of what a command's processes used. */
export interface Figures {
  ms: number;
  cpuMs: number;
  megabytes: number;
}

export function figuresOf(taken: ReadonlyMap<string, readonly Taken[]>): Map<string, Figures> {
  return new Map(
    [...taken].map(([name, all]) => [
      name,
      {
        ms: Math.round(1000 * median(all.map(({ seconds }) => seconds))),
        cpuMs: Math.round(1000 * median(all.map(({ cpu }) => cpu))),
        megabytes: Math.round(median(all.map(({ rss }) => rss)) / 1e6),
      },
    ]),
  );
}

/** For a file of one row, of which rates say nothing. */
export function startTable(figures: ReadonlyMap<string, Figures>): string {
  const lines = [...figures].map(
    ([name, { ms, cpuMs, megabytes }]) => `| ${name} | ${ms} | ${cpuMs} | ${megabytes} |`,
  );
  return ['| | ms (median) | ms of CPU | peak MB |', '|---|---|---|---|', ...lines].join('\n');
}

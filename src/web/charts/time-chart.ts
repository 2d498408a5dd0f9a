import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Html, type HtmlPart, html } from '../html.ts';
import { figure, frame } from './figure.ts';

interface TimeSeries {
  name: string;
  /** The value from the time before to each time; undefined where it is not known. The first is not used. */
  values: readonly (number | undefined)[];
}

export interface TimeChart {
  id: string;
  title: string;
  description: string;
  caption?: HtmlPart;
  /** Seconds, ascending from 0. */
  times: readonly number[];
  series: readonly TimeSeries[];
  /** The title of the axis of values. */
  unit: string;
  /** A value as text: on the axis, and in the table. */
  text(value: number): string;
}

const [WIDTH, HEIGHT] = [300, 220];
const plot = { left: 44, top: 24, right: WIDTH - 8, bottom: HEIGHT - 40 };
const colours = ['first', 'second'] as const;
const X_TICKS = 4;
const Y_TICKS = 4;

/** Values over the time of a run, each drawn from the time before to its own. */
export function timeChart({ times, series, unit, text, ...chart }: TimeChart): Html {
  const end = times.at(-1) || 1;
  const most = Math.max(...series.flatMap(({ values }) => values.slice(1).map(value => value ?? 0)), 0);
  const x = scaleLinear([0, end], [plot.left, plot.right]);
  const y = scaleLinear([0, most || 1], [plot.bottom, plot.top]).nice(Y_TICKS);
  const time = timeUnit(end);
  const ticks = scaleLinear([0, end / time.seconds], [0, 1]).ticks(X_TICKS);
  return figure({
    ...chart,
    width: WIDTH,
    height: HEIGHT,
    content: html`${frame(
      {
        title: `Time in ${time.name}`,
        ticks,
        at: tick => x(tick * time.seconds),
        text: tick => String(tick),
      },
      { title: unit, ticks: y.ticks(Y_TICKS), at: y, text },
      plot,
    )}${series.map(({ values }, i) => drawSeries(values, colours[i] ?? 'first', i === 0))}`,
    numbers: {
      head: ['Until', ...series.map(({ name }) => name)],
      rows: times
        .slice(1)
        .map((seconds, i) => [
          `${numberOf(seconds / time.seconds)} ${time.short}`,
          ...series.map(({ values }) => textOf(values[i + 1], text)),
        ]),
    },
  });

  function drawSeries(values: TimeSeries['values'], colour: string, isFirst: boolean): Html {
    const ends = stepEnds(times, values);
    const at = (end: StepEnd | undefined): number => x(end?.seconds ?? 0);
    const height = (end: StepEnd | undefined): number => y(end?.value ?? 0);
    const isKnown = (end: StepEnd | undefined): boolean => end !== undefined;
    const curve = line<StepEnd | undefined>(at, height).defined(isKnown).digits(1);
    const below = area<StepEnd | undefined>(at, y(0), height).defined(isKnown).digits(1);
    return html`${isFirst && html`<path class="area ${colour}" d="${below(ends) ?? ''}"/>`}<path class="curve ${colour}" d="${curve(ends) ?? ''}"/>`;
  }
}

interface StepEnd {
  seconds: number;
  value: number;
}

/** Both ends of the step of each value; undefined where one is not known. */
const stepEnds = (times: readonly number[], values: TimeSeries['values']): (StepEnd | undefined)[] =>
  values.slice(1).flatMap((value, i) => {
    if (value === undefined) return [undefined];
    return [times[i] ?? 0, times[i + 1] ?? 0].map(seconds => ({ seconds, value }));
  });

const textOf = (value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? '–' : text(value);

/** The unit in which an axis of time is read most easily. */
function timeUnit(seconds: number): { seconds: number; name: string; short: string } {
  if (seconds >= 2 * 3600) return { seconds: 3600, name: 'hours', short: 'h' };
  if (seconds >= 2 * 60) return { seconds: 60, name: 'minutes', short: 'min' };
  return { seconds: 1, name: 'seconds', short: 's' };
}

const numberOf = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

import { type ScaleLinear, scaleLinear } from 'd3-scale';
import type { Html } from '../html.ts';
import { frame, type PlotArea } from './frame.ts';
import { percentText } from './text.ts';

const ticks = [0, 0.25, 0.5, 0.75, 1];

/** The scales and the axes of a drawing both of whose axes are shares, from 0% to 100%. */
export interface SharePlot {
  x: ScaleLinear<number, number>;
  y: ScaleLinear<number, number>;
  axes: Html;
}

export function sharePlot(titles: { x: string; y: string }, area: PlotArea): SharePlot {
  const x = scaleLinear([0, 1], [area.left, area.right]);
  const y = scaleLinear([0, 1], [area.bottom, area.top]);
  const text = (share: number): string => percentText(share, 0);
  const axes = frame({ title: titles.x, ticks, at: x, text }, { title: titles.y, ticks, at: y, text }, area);
  return { x, y, axes };
}

import { type Html, html } from '../html.ts';

/** Seconds for people: `0.2 s`, `12 s`, `3 min 19 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of the summary for people, to the second. */
export const timeText = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;

/** One line of a terminal. */
export interface TerminalLine {
  kind: 'command' | 'output';
  text: string;
}

const COLUMNS = 112;
const FONT_SIZE = 14;
const LINE_HEIGHT = 20;
/** Advance of the usual monospace fonts, in em. */
const CHARACTER_WIDTH = 0.6 * FONT_SIZE;
const MARGIN = 20;
const TITLE_BAR = 36;

const COLORS = {
  background: '#1e2127',
  prompt: '#7ec699',
  command: '#ffffff',
  output: '#b8bfca',
  buttons: ['#ff5f56', '#ffbd2e', '#27c93f'],
} as const;

/** A picture of a terminal with these lines, wrapped at spaces after 112 columns. */
export function terminalSvg(title: string, lines: readonly TerminalLine[]): string {
  const rows = lines.flatMap(wrap);
  const width = Math.ceil(2 * MARGIN + COLUMNS * CHARACTER_WIDTH);
  const height = TITLE_BAR + rows.length * LINE_HEIGHT + MARGIN;
  const buttons = COLORS.buttons.map(
    (color, index) => `<circle cx="${MARGIN + index * 20}" cy="18" r="6" fill="${color}"/>`,
  );
  const font = `font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${FONT_SIZE}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLORS.background}"/>`,
    ...buttons,
    `<g ${font} xml:space="preserve">`,
    ...rows.map(rowSvg),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

interface Row extends TerminalLine {
  /** Whether a command starts here, after a prompt. */
  hasPrompt: boolean;
}

function wrap({ kind, text }: TerminalLine): Row[] {
  const whole = kind === 'command' ? `$ ${text}` : text;
  const rows = whole.match(new RegExp(`.{1,${COLUMNS}}(?: |$)|.{${COLUMNS}}`, 'g')) ?? [''];
  return rows.map((row, index) => ({ kind, text: row, hasPrompt: kind === 'command' && index === 0 }));
}

function rowSvg({ kind, text, hasPrompt }: Row, index: number): string {
  const y = TITLE_BAR + index * LINE_HEIGHT + FONT_SIZE;
  const content = hasPrompt
    ? `<tspan fill="${COLORS.prompt}">$</tspan>${escaped(text.slice(1))}`
    : escaped(text);
  return `<text x="${MARGIN}" y="${y}" fill="${COLORS[kind]}">${content}</text>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

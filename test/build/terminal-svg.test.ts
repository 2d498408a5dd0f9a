import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { terminalSvg } from '../../build/terminal-svg.ts';

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''));

describe('the picture of a terminal', () => {
  it('shows a prompt before each command, and output as it is', () => {
    const svg = terminalSvg('A title', [
      { kind: 'command', text: 'rowcast --version' },
      { kind: 'output', text: '0.1.0' },
    ]);
    assert.deepEqual(textsOf(svg), ['$ rowcast --version', '0.1.0']);
  });

  it('breaks long lines at spaces', () => {
    const svg = terminalSvg('A title', [{ kind: 'output', text: `${'word '.repeat(40)}end` }]);
    const lines = textsOf(svg);
    assert.ok(lines.length > 1);
    assert.ok(lines.every(line => line.length <= 113 && /^word/.test(line)));
  });

  it('escapes what is markup in SVG', () => {
    const svg = terminalSvg('a < b', [{ kind: 'output', text: '<&>' }]);
    assert.match(svg, /<title>a &lt; b<\/title>/);
    assert.match(svg, />&lt;&amp;&gt;</);
  });
});

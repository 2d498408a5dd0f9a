/** An input of several MiB with everything that makes records hard to find, and rows that are rejected. */
export function hardCsv(bytes: number): string {
  const lines = ['\ufeffid,monthly amount,plan,note'];
  for (let size = 0, row = 1; size < bytes; row++) {
    const note = ['', 'plain', '"quoted, with ""quotes"""', '"two\nlines"', '"three\r\nlines\n"'][row % 5];
    const line = `${row},${row % 90}.5,${row % 3 === 0 ? 'Basic' : 'Plus'},${note}${'x'.repeat(row % 211)}`;
    const all = row % 97 === 0 ? `${row},too few` : row % 61 === 0 ? `\n${line}` : line;
    const isClosed = note?.startsWith('"') !== true;
    const last = isClosed ? all : all.replace(/x+$/, '');
    lines.push(last);
    size += last.length + 1;
  }
  return lines
    .map((line, i) => line + (i % 7 === 0 ? '\r\n' : '\n'))
    .join('')
    .slice(0, -1);
}

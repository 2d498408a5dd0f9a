/** Gives bytes that were already read, then the others. */
export async function* chunksAfter(first: Buffer, others: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

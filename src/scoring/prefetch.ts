/**
 * Waits for the first items, so that early failures surface before any item is used.
 *
 * @param count how many items to wait for, unless there are fewer
 */
export async function prefetch<T>(items: AsyncGenerator<T>, count: number): Promise<AsyncGenerator<T>> {
  const first: T[] = [];
  while (first.length < count) {
    const { value, done } = await items.next();
    if (done) break;
    first.push(value);
  }
  return (async function* () {
    try {
      yield* first;
      yield* items;
    } finally {
      // `yield*` closes the items only if some were taken from them directly.
      await items.return(undefined);
    }
  })();
}

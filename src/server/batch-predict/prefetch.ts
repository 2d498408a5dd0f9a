/**
 * The same items, as soon as the first of them are there: what fails until then fails before any is used.
 *
 * @param count how many are waited for; fewer where there are no more
 */
export async function prefetch<T>(items: AsyncGenerator<T>, count: number): Promise<AsyncGenerator<T>> {
  const first: T[] = [];
  while (first.length < count) {
    const { value, done } = await items.next();
    if (done) break;
    first.push(value);
  }
  return (async function* () {
    yield* first;
    yield* items;
  })();
}

/** Chooses a few of many shards, the next ones each time, so that a worker reads no more files however many shards there are. */
export class Turns {
  readonly #most: number;
  #last = -1;

  /** @param most how many it chooses */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param shards in order */
  next(shards: readonly number[]): number[] {
    const later = shards.filter(shard => shard > this.#last);
    const chosen = [...later, ...shards.slice(0, shards.length - later.length)].slice(0, this.#most);
    this.#last = chosen.at(-1) ?? this.#last;
    return chosen;
  }
}

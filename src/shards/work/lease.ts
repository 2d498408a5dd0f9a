import { isMissing } from '../../storage/local/missing.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, doneName, heartbeatName, leaseName } from '../folder/names.ts';
import { HEARTBEAT_MS } from '../folder/next-attempt.ts';
import type { LeaseHolder, ShardHeartbeat } from '../folder/result-shape.ts';

/** What an attempt has done so far. */
export type Figures = Pick<ShardHeartbeat, 'row' | 'read' | 'rejected'>;

export interface LeaseOptions {
  folder: SharedFolder;
  shard: number;
  attempt: number;
  holder: LeaseHolder;
  /** Asked before each heartbeat. */
  figures: () => Figures;
  /** Called after each heartbeat; what it throws ends the lease. */
  onHeartbeat?: () => Promise<void>;
}

/** Why the work on a shard has to end. */
export type LeaseEnd = 'lost' | 'cancelled';

/** The right to score a shard, as long as its holder sends heartbeats. */
export class Lease {
  readonly attempt: number;
  /** Aborted when the work must end, with a `LeaseEnd` or an error as the reason. */
  readonly ended: AbortSignal;
  readonly #options: LeaseOptions;
  readonly #end = new AbortController();
  #beat = 0;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  private constructor(options: LeaseOptions) {
    this.#options = options;
    this.attempt = options.attempt;
    this.ended = this.#end.signal;
  }

  /** @returns undefined if another worker was faster, or the run is assembled */
  static async take(options: LeaseOptions): Promise<Lease | undefined> {
    const { folder, shard, attempt, holder } = options;
    try {
      if (!(await folder.create(leaseName(shard, attempt), JSON.stringify(holder)))) return undefined;
      const lease = new Lease(options);
      await lease.#write('running', null);
      lease.#schedule();
      return lease;
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw cause;
    }
  }

  /** Ends the heartbeats. Nothing more is written: the shard has a result, or another worker has it. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#end.abort();
    await this.#beating;
  }

  /**
   * Lets others have the shard at once.
   *
   * @param error why the attempt has failed; null if it was stopped, or for a temporary reason
   */
  async giveBack(error: ShardHeartbeat['error']): Promise<void> {
    await this.close();
    await this.#write('ended', error);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#beating = this.#next().catch(cause => this.#end.abort(isMissing(cause) ? 'lost' : cause));
    }, HEARTBEAT_MS);
  }

  async #next(): Promise<void> {
    const end = await this.#endOf();
    if (end !== undefined) return this.#end.abort(end);
    await this.#write('running', null);
    await this.#options.onHeartbeat?.();
    if (!this.ended.aborted) this.#schedule();
  }

  async #endOf(): Promise<LeaseEnd | undefined> {
    const { folder, shard, attempt } = this.#options;
    if ((await folder.read(CANCELLED)) !== undefined) return 'cancelled';
    if ((await folder.read(doneName(shard))) !== undefined) return 'lost';
    // The run was assembled without this attempt.
    if ((await folder.read(leaseName(shard, attempt))) === undefined) return 'lost';
    // Attempts have consecutive numbers. Listing all leases would take longer the more shards there are.
    return (await folder.read(leaseName(shard, attempt + 1))) === undefined ? undefined : 'lost';
  }

  async #write(
    state: ShardHeartbeat['state'],
    error: ShardHeartbeat['error'] | undefined = null,
  ): Promise<void> {
    const { folder, shard, attempt, figures } = this.#options;
    const beat: ShardHeartbeat = { beat: ++this.#beat, state, ...figures(), error };
    await folder.replace(heartbeatName(shard, attempt), JSON.stringify(beat));
  }
}

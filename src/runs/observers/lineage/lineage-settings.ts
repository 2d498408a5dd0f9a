import type { PredictionType } from '../../../base/contract/predictions.ts';
import { isLoopback } from '../../../base/scheme.ts';
import type { RunColumn, RunColumns } from '../../run-columns.ts';

/** Where events go and what they are a part of, by the variables that all clients of OpenLineage read. */
export interface LineageSettings {
  namespace: string;
  /** The run that started this one. */
  parent: { namespace: string; name: string; runId: string } | undefined;
  /** Undefined if nothing is sent. */
  endpoint: { url: URL; key: string | undefined } | undefined;
  /** Why nothing is sent, although a URL is set; never a value that may be secret. */
  problem: string | undefined;
}

const NAMESPACE = 'default';
const PATH = 'api/v1/lineage';
const PARENT = /^(.+)\/([^/]+)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Reads the variables of OpenLineage. */
export function lineageSettings(env: Readonly<Record<string, string | undefined>>): LineageSettings {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const [, namespace, name, runId] = PARENT.exec(read('OPENLINEAGE_PARENT_ID') ?? '') ?? [];
  const settings = {
    namespace: read('OPENLINEAGE_NAMESPACE') ?? NAMESPACE,
    parent:
      namespace === undefined || name === undefined || runId === undefined
        ? undefined
        : { namespace, name, runId },
    endpoint: undefined,
    problem: undefined,
  };
  const base = read('OPENLINEAGE_URL');
  if (base === undefined || read('OPENLINEAGE_DISABLED')?.toLowerCase() === 'true') return settings;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return { ...settings, problem: 'OPENLINEAGE_URL is not an http or https URL' };
  if (url.username !== '' || url.password !== '')
    return { ...settings, problem: 'OPENLINEAGE_URL must not contain user info' };
  const key = read('OPENLINEAGE_API_KEY');
  // Characters that a header may contain (RFC 9110 section 5.5), without spaces.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    return { ...settings, problem: 'OPENLINEAGE_API_KEY has characters that a key cannot have' };
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname))
    return { ...settings, problem: 'OPENLINEAGE_API_KEY would be sent unencrypted' };
  const path = read('OPENLINEAGE_ENDPOINT') ?? PATH;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return { ...settings, endpoint: { url, key } };
}

/** The columns of finished runs. Files with the same columns, which is the usual case, share one list. */
export class SharedColumns {
  readonly #lists = new Map<string, readonly RunColumn[]>();
  readonly #runs = new Map<string, RunColumns>();

  /** @param predictionType what the output's header says */
  add(runId: string, columns: RunColumns, predictionType: PredictionType | null): void {
    const output = this.#shared(columns.output(predictionType));
    this.#runs.set(runId, { input: this.#shared(columns.input), output: () => output });
  }

  of(runId: string): RunColumns | undefined {
    return this.#runs.get(runId);
  }

  #shared(list: readonly RunColumn[]): readonly RunColumn[] {
    const key = JSON.stringify(list);
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, list);
    return known ?? list;
  }
}

import type { MissingStyle } from '../../../base/contract/limits.ts';
import type { Auth } from '../../../base/contract/protocol-names.ts';
import type { BodyTemplate, LayoutName } from '../../bodies/layout-of.ts';

/**
 * A protocol as data. `service: { protocol: custom, custom: … }` of a definition is such a description too; what data
 * cannot express is code, as `open-inference` is.
 */
export interface ProtocolDescription {
  readonly name: string;
  /** Which servers speak it, for `rowcast protocols`. */
  readonly speaks: string;
  /** How the key is sent, unless the user says otherwise. */
  readonly auth: Auth;
  readonly request: RequestDescription;
  readonly response: ResponseDescription;
  /** Where the body of an error has its message and its code. */
  readonly errors: { readonly message: Pointers; readonly code?: Pointers };
  /** The path at which the server says that it is ready, with `{model}` as in the path of the request. */
  readonly ready?: string | undefined;
  /** How a missing value is written, unless the user says otherwise. */
  readonly missing: MissingStyle;
  /** The largest body that any of its servers is documented to accept, in bytes. */
  readonly maxBatchBytes?: number;
}

/** A JSON Pointer (RFC 6901), or several, of which the first that leads to what is wanted counts. */
export type Pointers = string | readonly string[];

export interface RequestDescription {
  /** `{model}` is replaced by the id of the report, percent-encoded except for its slashes. */
  readonly path: string;
  /** The paths, of the request and of readiness, for reports whose id begins with a prefix. */
  readonly otherPaths?: readonly {
    readonly prefix: string;
    readonly path: string;
    readonly ready?: string;
  }[];
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** `{model}` is replaced by the id of the report. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How rows are written. */
  readonly layout: LayoutName;
  /** A JSON value, in which texts such as `$rows` and `$columns` stand for what `client/bodies/layout-of.ts` says. */
  readonly body?: BodyTemplate | undefined;
}

export interface ResponseDescription {
  /** The list of predictions; an empty pointer is the whole response. */
  readonly rows: Pointers;
  /** Whether the response may also be a line of JSON or CSV for each row. */
  readonly lines?: boolean;
  readonly row: RowDescription;
  /** Where a row that is an object has what is predicted, if it has that; for rows of any shape. */
  readonly value?: Pointers;
  /** A list with the names of the classes, if the response has one. */
  readonly classes?: string | undefined;
  /** The number of a row within its batch, from 0 on, if predictions have one. */
  readonly index?: string;
}

/** What a prediction is, and where it is in a row of the response; `any`: its shape says so. */
export type RowDescription = 'any' | { readonly kind: DescribedKind; readonly at: string };

/** Probabilities by class, a label, a number, or several numbers by name. */
export type DescribedKind = 'probabilities' | 'label' | 'number' | 'numbers';

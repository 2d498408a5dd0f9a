import { bytesOf, hexOf, integerOf, type Message, messagesOf, readMessage, textOf } from './wire.ts';

export type Attributes = Record<string, string | number | boolean>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  /** 1: internal, 3: client. */
  kind: number;
  attributes: Attributes;
  events: { name: string; attributes: Attributes }[];
  isError: boolean;
  statusMessage: string;
  seconds: number;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  points: { attributes: Attributes; value: number }[];
}

/** Decodes an ExportTraceServiceRequest (opentelemetry/proto/trace/v1/trace.proto). */
export function decodeTraces(body: Buffer): { resource: Attributes; spans: ReceivedSpan[] }[] {
  return messagesOf(readMessage(body), 1).map(resourceSpans => ({
    resource: attributesOf(messagesOf(resourceSpans, 1)[0] ?? new Map(), 1),
    spans: messagesOf(resourceSpans, 2)
      .flatMap(scope => messagesOf(scope, 2))
      .map(spanOf),
  }));
}

/** Decodes an ExportMetricsServiceRequest (opentelemetry/proto/metrics/v1/metrics.proto). */
export const decodeMetrics = (body: Buffer): ReceivedMetric[] =>
  messagesOf(readMessage(body), 1)
    .flatMap(resourceMetrics => messagesOf(resourceMetrics, 2))
    .flatMap(scope => messagesOf(scope, 2))
    .map(metric => ({
      name: textOf(metric, 1),
      unit: textOf(metric, 3),
      points: [
        ...messagesOf(metric, 5)
          .flatMap(gauge => messagesOf(gauge, 1))
          .map(point => ({ attributes: attributesOf(point, 7), value: numberOf(point) })),
        ...messagesOf(metric, 9)
          .flatMap(histogram => messagesOf(histogram, 1))
          .map(point => ({ attributes: attributesOf(point, 9), value: integerOf(point, 4) })),
      ],
    }));

function spanOf(span: Message): ReceivedSpan {
  const status = messagesOf(span, 15)[0] ?? new Map();
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: integerOf(span, 6),
    attributes: attributesOf(span, 9),
    events: messagesOf(span, 11).map(event => ({
      name: textOf(event, 2),
      attributes: attributesOf(event, 3),
    })),
    isError: integerOf(status, 3) === 2,
    statusMessage: textOf(status, 2),
    seconds: (integerOf(span, 8) - integerOf(span, 7)) / 1e9,
  };
}

function attributesOf(message: Message, field: number): Attributes {
  const pairs = messagesOf(message, field).map(pair => {
    const value = messagesOf(pair, 2)[0] ?? new Map();
    return [textOf(pair, 1), anyValueOf(value)] as const;
  });
  return Object.fromEntries(pairs);
}

function anyValueOf(value: Message): string | number | boolean {
  if (value.has(2)) return integerOf(value, 2) === 1;
  if (value.has(3)) return Number(BigInt.asIntN(64, BigInt(integerOf(value, 3))));
  if (value.has(4)) return bytesOf(value, 4)[0]?.readDoubleLE() ?? Number.NaN;
  return textOf(value, 1);
}

/** A double, or an integer. */
const numberOf = (point: Message): number =>
  point.has(4) ? (bytesOf(point, 4)[0]?.readDoubleLE() ?? Number.NaN) : integerOf(point, 6);

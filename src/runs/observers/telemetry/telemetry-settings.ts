/** Which signals are sent, according to the environment. The exporters read all other variables themselves. */
export interface TelemetrySettings {
  traces: boolean;
  metrics: boolean;
  /** Whether the service gets the trace context. */
  propagates: boolean;
  /** What cannot be done as asked; never a value that may be secret. */
  problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables of OpenTelemetry that decide whether anything is sent, without loading any of its packages.
 *
 * @returns undefined without an endpoint
 */
export function telemetrySettings(env: Environment): TelemetrySettings | undefined {
  // An empty value means the same as none (OpenTelemetry specification, environment variables).
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const problems: string[] = [];
  const isSent = (signal: 'TRACES' | 'METRICS'): boolean => {
    const endpoint = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
    const variable = read(endpoint) === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : endpoint;
    const url = read(variable);
    if (url === undefined) return false;
    const exporters = (read(`OTEL_${signal}_EXPORTER`) ?? 'otlp').split(',').map(name => name.trim());
    const protocol = read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? read('OTEL_EXPORTER_OTLP_PROTOCOL');
    const what = signal.toLowerCase();
    if (exporters.includes('none')) return false;
    if (!exporters.includes('otlp')) problems.push(`${what} can be exported by otlp only`);
    else if (protocol !== undefined && protocol !== 'http/protobuf')
      problems.push(`${what} can be sent by http/protobuf only`);
    else if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      problems.push(`${variable} is not an http or https URL`);
    else return true;
    return false;
  };
  const [traces, metrics] = [isSent('TRACES'), isSent('METRICS')];
  const propagators = (read('OTEL_PROPAGATORS') ?? 'tracecontext').split(',').map(name => name.trim());
  if (!traces && !metrics && problems.length === 0) return undefined;
  return { traces, metrics, propagates: traces && propagators.includes('tracecontext'), problems };
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { telemetrySettings } from '../../../../src/runs/observers/telemetry/telemetry-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const all = { traces: true, metrics: true, propagates: true, problems: [] };

describe('the settings of OpenTelemetry', () => {
  it('are nothing to send without an endpoint, with an empty one, or if the SDK is disabled', () => {
    assert.equal(telemetrySettings({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'otlp' }), undefined);
    assert.equal(telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }), undefined);
    assert.equal(telemetrySettings({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }), undefined);
  });

  it('are both signals with the common endpoint, and one with its own', () => {
    assert.deepEqual(telemetrySettings(endpoint), all);
    assert.deepEqual(telemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example' }), {
      ...all,
      metrics: false,
    });
    assert.deepEqual(telemetrySettings({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://m.example' }), {
      ...all,
      traces: false,
      propagates: false,
    });
  });

  it('leave out signals that are exported nowhere', () => {
    assert.deepEqual(telemetrySettings({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }), {
      ...all,
      metrics: false,
    });
    const none = { OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };
    assert.equal(telemetrySettings({ ...endpoint, ...none }), undefined);
  });

  it('pass on the trace context only if a propagator does so', () => {
    assert.equal(
      telemetrySettings({ ...endpoint, OTEL_PROPAGATORS: 'baggage, tracecontext' })?.propagates,
      true,
    );
    assert.equal(telemetrySettings({ ...endpoint, OTEL_PROPAGATORS: 'b3' })?.propagates, false);
  });

  it('name what is not supported, without its value', () => {
    const problemsOf = (env: Record<string, string>) => telemetrySettings({ ...endpoint, ...env })?.problems;
    assert.deepEqual(problemsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), [
      'traces can be sent by http/protobuf only',
      'metrics can be sent by http/protobuf only',
    ]);
    assert.deepEqual(problemsOf({ OTEL_TRACES_EXPORTER: 'console' }), [
      'traces can be exported by otlp only',
    ]);
    const secret = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:secret@host:4318' };
    assert.deepEqual(problemsOf(secret), ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an http or https URL']);
    assert.equal(telemetrySettings({ ...endpoint, ...secret })?.traces, false);
  });
});

import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

type Environment = Readonly<Record<string, string | undefined>>;

/** Connections to the collector, which can be given up at any time. */
export interface CollectorAgents {
  /** Makes the agent that an exporter takes as `httpAgentOptions`. */
  factory(signal: 'TRACES' | 'METRICS'): (protocol: string) => http.Agent;
  /** From now on, a connection that fails is not tried again: somebody waits for the end. */
  finish(): void;
  /** Closes all connections. */
  destroy(): void;
}

export const NO_TIME = 'there was no time left to send all';

/**
 * With agents of our own, because the exporters keep theirs to themselves, and would delay the end of the process until
 * their retries are over.
 */
export function collectorAgents(env: Environment): CollectorAgents {
  const sockets = new Set<Duplex>();
  let isFinishing = false;
  let isOver = false;
  return {
    factory: signal => protocol => {
      const options = { keepAlive: true, ...certificates(env, signal) };
      const agent = protocol === 'http:' ? new http.Agent(options) : new https.Agent(options);
      const connect = agent.createConnection.bind(agent);
      agent.createConnection = (...args) => {
        if (isOver) throw new Error(NO_TIME);
        const socket = connect(...args);
        socket?.once('error', (error: NodeJS.ErrnoException) => {
          // The exporters retry after errors with certain codes, and after no others.
          if (isFinishing) delete error.code;
        });
        socket?.once('close', () => sockets.delete(socket));
        if (socket) sockets.add(socket);
        return socket;
      };
      return agent;
    },
    finish() {
      isFinishing = true;
    },
    destroy() {
      isOver = true;
      for (const socket of sockets) socket.destroy(new Error(NO_TIME));
    },
  };
}

/** Reads the certificates that the exporters use by default. @throws if a file cannot be read */
function certificates(env: Environment, signal: string): https.AgentOptions {
  const read = (name: string): Buffer | undefined => {
    const path = env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
    return path ? readFileSync(path) : undefined;
  };
  const [ca, cert, key] = [read('CERTIFICATE'), read('CLIENT_CERTIFICATE'), read('CLIENT_KEY')];
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type handleServerStreamingCall,
  type handleUnaryCall,
} from '@grpc/grpc-js';
import type { CertificatePair, CertificateSource } from '../../ports/certificates';
import { IpamError } from '../../errors/ipam-error';
import type { Tools } from '../../ports/tools';
import type { BindAddress } from '../https-server';
import { CallRunner, type CallLimits } from './call-runner';
import { GrpcListener, type ConnectionLimits } from './grpc-listener';
import type { GrpcMethod } from './grpc-methods';
import { HealthReports } from './health-reports';

/** Largest message of a client, in bytes. */
const MESSAGE_BYTES = 256 * 1024;
const SESSION_MEGABYTES = 32;
const CHANNEL = {
  'grpc.max_receive_message_length': MESSAGE_BYTES,
  'grpc.max_concurrent_streams': 256,
  'grpc-node.max_session_memory': SESSION_MEGABYTES,
  // a client that is gone is found out by its missing answer
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 300_000,
  // so that clients see a renewed certificate, and find the process that leads
  'grpc.max_connection_age_ms': 1_800_000,
  'grpc.max_connection_age_grace_ms': 60_000,
  'grpc.enable_channelz': 0,
} as const;

/** Options of {@link createGrpcServer}. */
export interface GrpcServerOptions extends Tools {
  readonly methods: readonly GrpcMethod[];
  /** Serves TLS and follows its changes; absent: plain text. */
  readonly certificate?: CertificateSource;
  readonly limits?: Partial<CallLimits & ConnectionLimits>;
}

/** One server; it listens once. */
export interface GrpcServer {
  /** Begins to listen; returns the true address. Throws `settings/invalid` when the address cannot be had. */
  listen(address: BindAddress): Promise<BindAddress>;
  /** Sets what questions about health are answered. */
  serving(isServing: boolean): void;
  /** Ends streams, lets running calls finish for a time, and closes. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** Certificate of the server, which may change. */
class FollowedCredentials extends ServerCredentials {
  constructor(pair: CertificatePair) {
    super({ minVersion: 'TLSv1.2', handshakeTimeout: 10_000 }, { cert: pair.certificate, key: pair.key });
  }

  renew({ certificate: cert, key }: CertificatePair): void {
    this.updateSecureContextOptions({ cert, key });
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/**
 * Makes a gRPC server with limits, real status codes, metrics, and the standard health service.
 *
 * @param options - methods, certificate, limits, tools
 * @returns the server; it does not listen yet, and says that it does not serve
 */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { methods, certificate, clock } = options;
  // faults go to our own log
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server(CHANNEL);
  const health = new HealthReports();
  const runner = new CallRunner(options, options.limits);
  for (const method of [...methods, ...health.methods()]) addMethod(server, method, runner);
  const credentials = certificate === undefined ? undefined : new FollowedCredentials(certificate.current());
  const sessions = server.createConnectionInjector(credentials ?? ServerCredentials.createInsecure());
  const listener = new GrpcListener((socket) => {
    sessions.injectConnection(socket);
  }, options);
  const stopFollowing = certificate?.onChange((pair) => credentials?.renew(pair));
  let closing: Promise<void> | undefined;
  return {
    listen: (address) => listen(listener, address),
    serving: (isServing) => {
      health.tell(isServing);
    },
    close: (graceMs) => {
      stopFollowing?.();
      health.tell(false);
      runner.close();
      listener.close();
      sessions.drain(graceMs);
      return (closing ??= shutDown(server, listener, (cut) => clock.after(graceMs, cut)));
    },
  };
}

function addMethod(server: Server, method: GrpcMethod, runner: CallRunner): void {
  const { path, responseSerialize, requestDeserialize } = method.of;
  if (method.kind === 'unary') {
    const handle: handleUnaryCall<object, object> = (call, answer) => {
      runner.runUnary(method, call, answer);
    };
    server.register(path, handle, responseSerialize, requestDeserialize, 'unary');
    return;
  }
  const handle: handleServerStreamingCall<object, object> = (call) => {
    runner.runStream(method, call);
  };
  server.register(path, handle, responseSerialize, requestDeserialize, 'serverStream');
}

async function listen(listener: GrpcListener, { host, port }: BindAddress): Promise<BindAddress> {
  // a kernel without IPv6 has no "::"
  const hosts = host === '' ? ['::', '0.0.0.0'] : [host];
  let reason: unknown;
  for (const candidate of hosts) {
    try {
      return await listener.listen({ host: candidate, port });
    } catch (error) {
      reason = error;
    }
  }
  const cause = reason instanceof Error ? reason.message : 'unknown error';
  throw new IpamError('settings/invalid', `cannot listen on "${host}:${port}" (${cause})`, { cause: reason });
}

async function shutDown(
  server: Server,
  listener: GrpcListener,
  afterGrace: (cut: () => void) => () => void,
): Promise<void> {
  let cancel = (): void => undefined;
  const grace = new Promise<void>((resolve) => {
    cancel = afterGrace(resolve);
  });
  await Promise.race([listener.whenEmpty(), grace]);
  cancel();
  server.forceShutdown();
  // those that never came to a session
  listener.cut();
}

import { TokenReviews } from '../cluster/objects/token-reviews';
import { refuse } from '../errors/outcome';
import type { CertificateSource } from '../ports/certificates';
import type { Clock } from '../ports/clock';
import type { PathAccess, TokenUser } from '../ports/token-access';
import type { Tools } from '../ports/tools';
import { bearerToken, digestOf, KnownAnswers } from '../runtime/known-answers';
import type { BindAddress } from '../server/https-server';
import type { MetricsCallers } from '../server/metrics-guard';
import { openTlsFolder } from './certificates';
import type { Environment } from './environment';

/** The right that a caller of the metrics needs. */
const WANTED = { verb: 'get', path: '/metrics' } as const;

/** Settings of the metrics over HTTPS. */
interface SecureMetricsSettings {
  /** Absent: the metrics are served without HTTPS and token. */
  readonly metricsBindAddress?: BindAddress | undefined;
  /** Folder of their certificate; empty: that of the process. */
  readonly metricsCertPath: string;
}

/** The parts of the metrics over HTTPS. */
export interface SecureMetrics {
  readonly callers: MetricsCallers;
  readonly certificate: CertificateSource;
  /** Ends what was opened for the metrics alone. */
  close(): void;
}

/**
 * Opens the certificate of the metrics, and what judges their callers.
 *
 * @param settings - where the metrics listen, and the folder of their certificate
 * @param environment - the cluster, and the certificate of the process
 * @param tools - clock, logger, meter
 * @returns the parts; undefined where the metrics are served without HTTPS and token
 * @throws IpamError `certificate/invalid`
 */
export async function openSecureMetrics(
  { metricsBindAddress, metricsCertPath: folder }: SecureMetricsSettings,
  environment: Environment,
  tools: Tools,
): Promise<SecureMetrics | undefined> {
  // without a cluster the start has ended before: see `requireServed`
  if (metricsBindAddress === undefined || environment.kind === 'standalone') return undefined;
  const own = folder === '' ? undefined : await openTlsFolder(folder, tools);
  return {
    callers: judgeByToken(new TokenReviews(environment.client), tools.clock),
    certificate: own ?? environment.certificate,
    close: () => own?.close(),
  };
}

/**
 * Judges callers by their tokens, which the API server knows, and by their right to get `/metrics`.
 *
 * @param access - the API server
 * @param clock - tells how long an answer of the API server counts
 * @returns refusals without a token or without the right
 */
export function judgeByToken(access: PathAccess, clock: Clock): MetricsCallers {
  const users = new KnownAnswers<TokenUser>(clock);
  const rights = new KnownAnswers<void>(clock);
  return {
    judge: async (authorization, peer) => {
      const token = bearerToken(authorization);
      if (token === undefined) {
        const message = 'the request has no token; send it as header "Authorization: Bearer TOKEN"';
        return refuse('api/unauthenticated', message);
      }
      const user = await users.ask({ key: digestOf(token), asker: peer }, () => access.userOf(token));
      if (!user.ok) return user;
      const right = { key: digestOf(JSON.stringify(user.value)), asker: user.value.username };
      return rights.ask(right, () => access.allowsPath(user.value, WANTED));
    },
  };
}

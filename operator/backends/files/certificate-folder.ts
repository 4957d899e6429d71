import type { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Outcome } from '../../errors/outcome';
import type { CertificatePair, CertificateSource } from '../../ports/certificates';
import type { Tools } from '../../ports/tools';
import { FollowedFile, watchFolder } from './followed-file';

/** Time between two looks at the folder, beside its change events, which some mounts never send. */
export const CERTIFICATE_POLL_MS = 10_000;

/** Places of the files, and the checks of their content. */
export interface CertificateFolderOptions extends Tools {
  readonly folder: string;
  /** File name of the chain, for example `tls.crt`. */
  readonly certificateName: string;
  /** File name of the key, for example `tls.key`. */
  readonly keyName: string;
  /** Proves that a pair can serve. */
  readonly checkPair: (pair: CertificatePair) => Outcome<X509Certificate>;
  /** Tells whether a good pair is out of its time. */
  readonly datesProblem: (pair: CertificatePair, nowMs: number) => string | undefined;
}

/**
 * Serves the certificate of a folder and follows its changes, also those of mounted Secrets, which swap a symlink.
 * A pair that is half written or does not match keeps the old one.
 *
 * @param options - folder, file names, tools
 * @returns the source, with a good pair
 * @throws IpamError `certificate/invalid` when the folder has no good pair at start
 */
export async function openCertificateFolder(options: CertificateFolderOptions): Promise<CertificateSource> {
  const { folder, certificateName, keyName, checkPair, datesProblem, clock, logger, meter } = options;
  const file = await FollowedFile.open<CertificatePair>({
    paths: [join(folder, certificateName), join(folder, keyName)],
    clock,
    logger,
    pollMs: CERTIFICATE_POLL_MS,
    watch: watchFolder,
    parse: (certificate = '', key = '') => {
      const checked = checkPair({ certificate, key });
      return checked.ok ? { ok: true, value: { certificate, key } } : { ok: false, problems: [checked.refusal] };
    },
    words: { file: 'serving certificate', content: 'certificate and key' },
    unusable: {
      code: 'certificate/invalid',
      title: `"${certificateName}" and "${keyName}" in "${folder}" cannot be used`,
    },
    onLook: () => {
      // at each look, so that an alert stays on while the problem does
      if (file.problem() !== undefined) meter.count('certificate_reloads_total', { result: 'kept_old' });
    },
  });
  file.onChange(() => {
    meter.count('certificate_reloads_total', { result: 'loaded' });
  });
  return {
    current: () => file.current(),
    onChange: (listener) => file.onChange(listener),
    problem: () => datesProblem(file.current(), clock.nowMs()),
    close: () => void file.close(),
  };
}

import type { Refusal } from '../../../operator/errors/outcome';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';

/** Where the certificate of a server comes from. */
interface ServerCertificateProps {
  readonly certificateSecret?: string | undefined;
  readonly issuer?: object | undefined;
}

/**
 * Checks where the certificate of a server that clients call comes from.
 *
 * @param field - path of its props
 * @param certificates - where those of the operator come from
 * @param props - its own
 * @returns every problem at once
 */
export function serverCertificateProblems(
  field: string,
  certificates: 'cert-manager' | 'self-managed' | undefined,
  { certificateSecret, issuer }: ServerCertificateProps,
): readonly Refusal[] {
  if (certificateSecret !== undefined) {
    return [
      ...(issuer === undefined
        ? []
        : [refused(`${field}.issuer`, 'has no use beside certificateSecret; give one of them')]),
      ...secretProblems(`${field}.certificateSecret`, { name: certificateSecret }),
    ];
  }
  if (certificates !== 'self-managed' || issuer !== undefined) return [];
  const message = 'needed where certificates is "self-managed", whose CA is meant for the API server only';
  return [refused(`${field}.certificateSecret`, message)];
}

import type { Refusal } from '../../../operator/errors/outcome';
import { refused } from '../../props-kit/refused';
import { serverCertificateProblems } from '../certificates/server-certificate-problems';
import type { NetworksGrpcProps } from './networks-grpc-props';

const AT = 'networks.grpc';

/** Settings around the gRPC API. */
interface GrpcOwner {
  readonly enabled: boolean;
  readonly certificates: 'cert-manager' | 'self-managed' | undefined;
}

/**
 * Checks how clients reach the gRPC API of networks.
 *
 * @param owner - whether the door is open, and where certificates come from
 * @param props - absent where it does not listen
 * @returns every problem at once
 */
export function networksGrpcProblems(
  { enabled, certificates }: GrpcOwner,
  props: NetworksGrpcProps | undefined,
): readonly Refusal[] {
  if (props === undefined) return [];
  const { certificateSecret } = props;
  return [
    ...(enabled ? [] : [refused(AT, 'needs networks.enabled, whose record it serves')]),
    ...serverCertificateProblems(AT, certificates, { certificateSecret }),
  ];
}

import type { Refusal } from '../../../operator/errors/outcome';
import { withoutEffect } from '../../props-kit/options-without-effect';
import { refused } from '../../props-kit/refused';
import { secretProblems } from '../../props-kit/secret-key';
import { clientProblems } from './client-files';
import type { IpamApiOwner } from './ipam-api-process';
import type { IpamApiExposeProps } from './ipam-api-props';

/**
 * Checks how other clusters reach the IPAM-API.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function ipamApiProblems(props: IpamApiOwner): readonly Refusal[] {
  const { expose } = props.ipamApi ?? {};
  if (expose === undefined) return [];
  const { certificateSecret } = expose;
  return [
    ...apiCertificateProblems(props, expose),
    ...clientProblems(expose),
    ...(certificateSecret === undefined
      ? []
      : secretProblems('ipamApi.expose.certificateSecret', { name: certificateSecret })),
  ];
}

function apiCertificateProblems(
  { certificates }: IpamApiOwner,
  { certificateSecret, issuer }: IpamApiExposeProps,
): readonly Refusal[] {
  if (certificateSecret !== undefined && issuer !== undefined) {
    return [refused('ipamApi.expose.issuer', 'has no use beside certificateSecret; give one of them')];
  }
  if (certificates !== 'self-managed' || certificateSecret !== undefined || issuer !== undefined) return [];
  const message = 'needed where certificates is "self-managed", whose CA is meant for the API server only';
  return [refused('ipamApi.expose.certificateSecret', message)];
}

/**
 * Finds props of the IPAM-API that change nothing beside the others.
 *
 * @param props - of the installation
 * @returns one refusal for each
 */
export function ipamApiWithoutEffect({ ipamApi }: IpamApiOwner): readonly Refusal[] {
  const { certificateSecret, dnsNames } = ipamApi?.expose ?? {};
  if (certificateSecret === undefined) return [];
  return withoutEffect('beside certificateSecret, whose certificate has its own names', [
    { field: 'ipamApi.expose.dnsNames', value: dnsNames },
  ]);
}

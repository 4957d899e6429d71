import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';

const API_VERSION = 'cert-manager.io/v1';
const TEN_YEARS = '87600h';
const NINETY_DAYS = '2160h';
const THIRTY_DAYS = '720h';

const issuerRef = (name: string) => ({ group: 'cert-manager.io', kind: 'Issuer', name });
const metadata = (name: string) => ({ name, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS });

const certificate = (name: string, spec: object) => ({
  apiVersion: API_VERSION,
  kind: 'Certificate',
  metadata: metadata(name),
  spec,
});

/** Names and place of a serving certificate. */
interface ServingCertificateProps {
  readonly name: string;
  readonly secretName: string;
  readonly dnsNames: readonly string[];
  /** @default - our own CA */
  readonly issuerRef?: { readonly group: string; readonly kind: string; readonly name: string };
}

// A Certificate of 90 days with which a server of the operator may show itself.
function servingCertificate({ name, secretName, dnsNames, issuerRef: by }: ServingCertificateProps) {
  return certificate(name, {
    dnsNames,
    secretName,
    duration: NINETY_DAYS,
    renewBefore: THIRTY_DAYS,
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    usages: ['digital signature', 'server auth'],
    issuerRef: by ?? issuerRef(NAMES.caIssuer),
  });
}

/** Certificate with which a Service of the operator shows itself to clients. */
interface ServiceCertificateProps {
  readonly name: string;
  readonly secretName: string;
  /** Name of the Service, of the operator's namespace. */
  readonly service: string;
  /** Names that callers use beside it. */
  readonly dnsNames?: readonly string[] | undefined;
  /** @default - our own CA */
  readonly issuer?: { readonly name: string; readonly kind?: string; readonly group?: string } | undefined;
}

/**
 * Writes the Certificate of a Service of the operator.
 *
 * @param props - its Service, further names, issuer
 * @returns the manifest
 */
export function serviceCertificate({ name, secretName, service, dnsNames = [], issuer }: ServiceCertificateProps) {
  const host = `${service}.${OPERATOR_NAMESPACE}.svc`;
  return servingCertificate({
    name,
    secretName,
    dnsNames: [...new Set([host, `${host}.cluster.local`, ...dnsNames])],
    ...(issuer === undefined ? {} : { issuerRef: { group: 'cert-manager.io', kind: 'ClusterIssuer', ...issuer } }),
  });
}

/**
 * The chain self-signed issuer, CA, CA issuer, serving certificate. A renewed serving certificate has the same CA, so the
 * webhooks stay trusted without a new injection.
 */
export class ServingCertificate extends Construct {
  /** Value of the annotation by which cert-manager fills in the CA of the webhooks. */
  static readonly INJECT_FROM = `${OPERATOR_NAMESPACE}/${NAMES.servingCertificate}`;

  /**
   * Declares the chain.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param webhooks - whether there are webhooks to be served; the CA alone is for the IPAM-API
   */
  constructor(scope: Construct, id: string, webhooks: boolean) {
    super(scope, id);
    const selfSigned = new ApiObject(this, 'SelfSignedIssuer', {
      apiVersion: API_VERSION,
      kind: 'Issuer',
      metadata: metadata(NAMES.selfSignedIssuer),
      spec: { selfSigned: {} },
    });
    const ca = new ApiObject(
      this,
      'Ca',
      certificate(NAMES.caCertificate, {
        isCA: true,
        commonName: 'ipam-operator CA',
        secretName: NAMES.caCertificate,
        duration: TEN_YEARS,
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
        issuerRef: issuerRef(NAMES.selfSignedIssuer),
      }),
    );
    const caIssuer = new ApiObject(this, 'CaIssuer', {
      apiVersion: API_VERSION,
      kind: 'Issuer',
      metadata: metadata(NAMES.caIssuer),
      spec: { ca: { secretName: NAMES.caCertificate } },
    });
    ca.addDependency(selfSigned);
    caIssuer.addDependency(ca);
    if (webhooks) this.#declareServing(caIssuer);
  }

  #declareServing(caIssuer: ApiObject): void {
    const { servingCertificate: name, servingSecret: secretName, webhookService: service } = NAMES;
    const serving = new ApiObject(this, 'Serving', serviceCertificate({ name, secretName, service }));
    serving.addDependency(caIssuer);
  }
}

import { OPTIONS } from '../../../operator/settings/options';
import type { IpamApiExposeProps } from '../../operator/ipam-api/ipam-api-props';
import { part, type ChartValue } from '../helm/chart-value';
import type { HelmSource } from '../helm/source';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { secretReference, secretValues, shapesOfParts } from './secret-values';
import { ANNOTATIONS, API_GROUP, HOST_NAMES, NAME_OR_NONE, PORT } from './value-schemas';

const AT = 'ipamApi.expose';
const DEADLINE = OPTIONS.ipamApiDeadlineSeconds;

/** Expressions for values of the IPAM-API that are left out at their defaults. */
export const API_SOURCES: Readonly<Record<string, HelmSource>> = {
  [`${AT}.serviceAnnotations`]: {
    expression: valueAt(`${AT}.serviceAnnotations`),
    when: valueAt(`${AT}.serviceAnnotations`),
  },
  [`${AT}.deadlineSeconds`]: {
    expression: valueAt(`${AT}.deadlineSeconds`),
    when: `ne (int ${valueAt(`${AT}.deadlineSeconds`)}) ${String(DEADLINE.default)}`,
  },
};

/** Values of the IPAM-API for other clusters. */
export const API_VALUES: readonly ChartValue<InstallationProps>[] = [
  exposed(),
  part(`${AT}.port`, { comment: 'Port of the Service `ipam-api`.', initial: 443, schema: PORT }),
  part(`${AT}.serviceType`, {
    comment:
      'Type of the Service `ipam-api`. The webhooks leave our namespace alone, so a LoadBalancer gets its address from another controller.',
    initial: 'ClusterIP',
    schema: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  }),
  part(`${AT}.serviceAnnotations`, {
    comment: 'Annotations of the Service, for example those by which MetalLB chooses an address.',
    initial: {},
    schema: ANNOTATIONS,
  }),
  part(`${AT}.dnsNames`, {
    comment: 'Names that callers use, for the certificate, beside those of the Service inside of the cluster.',
    initial: [],
    schema: HOST_NAMES,
  }),
  part(`${AT}.issuer.name`, {
    comment: "Issuer of cert-manager for the API's certificate; empty is the CA of the webhooks.",
    initial: '',
    schema: NAME_OR_NONE,
  }),
  part(`${AT}.issuer.kind`, {
    comment: 'Kind of the issuer.',
    initial: 'ClusterIssuer',
    schema: { enum: ['ClusterIssuer', 'Issuer'] },
  }),
  part(`${AT}.issuer.group`, {
    comment: 'API group of the issuer.',
    initial: 'cert-manager.io',
    schema: API_GROUP,
  }),
  part(`${AT}.certificateSecret`, {
    comment:
      'Secret of type kubernetes.io/tls in ipam-system with a certificate of your own; empty asks cert-manager for one.',
    initial: '',
  }),
  ...secretValues(
    `${AT}.clients`,
    'Name of a Secret of ipam-system with the clients of version 3, read again when it changes; without it, no client may call version 3.',
    { name: '', key: 'clients.yaml' },
  ),
  part(`${AT}.clientsConfigMap`, {
    comment: 'Name of a ConfigMap of ipam-system in place of this Secret, with the same key.',
    initial: '',
    schema: NAME_OR_NONE,
  }),
  ...secretValues(
    `${AT}.clientCa`,
    'Name of a Secret of ipam-system with the CA certificates, in PEM, that client certificates are trusted by; empty is tokens only.',
    { name: '', key: 'ca.crt' },
  ),
  part(`${AT}.allowAnonymousV2`, {
    comment:
      'Whether version 2 is answered, which has no login: every client that reaches the port can take and give back addresses.',
    initial: false,
  }),
  part(`${AT}.deadlineSeconds`, {
    comment: `Seconds after which the IPAM-API answers 503 instead of waiting for the store, ${String(DEADLINE.min)} to ${String(DEADLINE.max)}.`,
    initial: DEADLINE.default,
    schema: { minimum: DEADLINE.min, maximum: DEADLINE.max },
  }),
];

function common(read: ValueReader): IpamApiExposeProps {
  return {
    port: read.number(`${AT}.port`),
    serviceType: read.text(`${AT}.serviceType`) as 'ClusterIP',
    dnsNames: read.items(`${AT}.dnsNames`),
    allowAnonymousV2: read.boolean(`${AT}.allowAnonymousV2`),
  };
}

/** Files of logins that are there; each decides the shape. */
type Logins = Readonly<Partial<Record<'secret' | 'map' | 'ca', boolean>>>;

function login(read: ValueReader, { secret = false, map = false, ca = false }: Logins): IpamApiExposeProps {
  const key = read.text(`${AT}.clientsKey`);
  const clients = {
    ...(secret ? { secret: { name: read.text(`${AT}.clientsSecret`), key } } : {}),
    ...(map ? { configMap: { name: read.text(`${AT}.clientsConfigMap`), key } } : {}),
  };
  return {
    ...(secret || map ? { clients } : {}),
    ...(ca ? { clientCa: secretReference(read, `${AT}.clientCa`) } : {}),
  };
}

// As a user of the constructs would write it: nothing for what is empty or usual.
function written(read: ValueReader): IpamApiExposeProps {
  const annotations = read.entries(`${AT}.serviceAnnotations`);
  const name = read.text(`${AT}.issuer.name`);
  const certificateSecret = read.text(`${AT}.certificateSecret`);
  const deadlineSeconds = read.number(`${AT}.deadlineSeconds`);
  const issuer = { name, kind: read.text(`${AT}.issuer.kind`) as 'Issuer', group: read.text(`${AT}.issuer.group`) };
  return {
    ...common(read),
    ...(Object.keys(annotations).length === 0 ? {} : { serviceAnnotations: annotations }),
    ...(name === '' ? {} : { issuer }),
    ...(certificateSecret === '' ? {} : { certificateSecret }),
    ...login(read, {
      secret: read.text(`${AT}.clientsSecret`) !== '',
      map: read.text(`${AT}.clientsConfigMap`) !== '',
      ca: read.text(`${AT}.clientCaSecret`) !== '',
    }),
    ...(deadlineSeconds === DEADLINE.default ? {} : { deadlineSeconds }),
  };
}

const PARTS = {
  own: valueAt(`${AT}.certificateSecret`),
  secret: valueAt(`${AT}.clientsSecret`),
  // both are refused
  map: `and ${valueAt(`${AT}.clientsConfigMap`)} (not ${valueAt(`${AT}.clientsSecret`)})`,
  ca: valueAt(`${AT}.clientCaSecret`),
};

function exposed(): ChartValue<InstallationProps> {
  const on = valueAt(`${AT}.enabled`);
  const props = (expose: IpamApiExposeProps): InstallationProps => ({ ipamApi: { expose } });
  // the issuer is put on the finished Certificate, the rest is left out where it is written
  const late = (read: ValueReader): IpamApiExposeProps => ({
    ...common(read),
    serviceAnnotations: read.entries(`${AT}.serviceAnnotations`),
    deadlineSeconds: read.number(`${AT}.deadlineSeconds`),
  });
  return {
    path: `${AT}.enabled`,
    initial: false,
    schema: { type: 'boolean' },
    comment:
      'Whether other clusters reach the IPAM-API, over TLS. It cannot be used with a remote store, whose API they can use themselves.',
    props: (enabled, read) => (enabled === true ? props(written(read)) : {}),
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(on, PARTS, ({ own = false, ...logins }) =>
        props({
          ...late(read),
          ...login(read, logins),
          ...(own ? { certificateSecret: read.text(`${AT}.certificateSecret`) } : {}),
        }),
      ),
    ],
  };
}

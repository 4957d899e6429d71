import { OPTIONS } from '../../../operator/settings/options';
import type { RelatedSystemName } from '../../operator/process/servers';
import type { SecretKeyReference } from '../../props-kit/secret-key';
import { part, type ChartValue, type JsonSchema } from '../helm/chart-value';
import type { HelmSource } from '../helm/source';
import { valueAt, type ValueReader } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import { secretReference, secretValues, shapesOfParts } from './secret-values';
import { TEXTS } from './value-schemas';

type Values = readonly ChartValue<InstallationProps>[];

const REFRESH = OPTIONS.netboxRefreshSeconds;

const whenGiven = (path: string): Readonly<Record<string, HelmSource>> => ({
  [path]: { expression: valueAt(path), when: valueAt(path) },
});

/** Expressions for values of related systems that are left out while they are empty. */
export const RELATED_SYSTEM_SOURCES: Readonly<Record<string, HelmSource>> = {
  ...whenGiven('netbox.tag'),
  ...whenGiven('splunk.index'),
};

/** References to Secrets of a server; a token that must be there is checked by the templates. */
interface Secrets {
  readonly token: SecretKeyReference;
  readonly ca?: SecretKeyReference;
}

/** Which Secrets are there; each decides the shape. */
type Present = Readonly<Partial<Record<'token' | 'ca', boolean>>>;

// `token` is there wherever the props of the server demand it
const secretsOf = (name: RelatedSystemName, read: ValueReader, { token = false, ca = false }: Present): Secrets =>
  ({
    ...(token ? { token: secretReference(read, `${name}.token`) } : {}),
    ...(ca ? { ca: secretReference(read, `${name}.ca`) } : {}),
  }) as Secrets;

/** Makes the props of a server; those of a release are as a user of the constructs would write them. */
type Write = (read: ValueReader, secrets: Secrets, of: 'release' | 'templates') => InstallationProps;

// The value of the URL decides whether the server is there at all.
function server(
  name: RelatedSystemName,
  about: { readonly comment: string; readonly optional: readonly string[] },
  write: Write,
) {
  const [path, { comment, optional }] = [`${name}.url`, about];
  const given = (read: ValueReader, secret: string): boolean => read.text(`${name}.${secret}Secret`) !== '';
  const always: Present = optional.includes('token') ? {} : { token: true };
  const parts = Object.fromEntries(optional.map((secret) => [secret, valueAt(`${name}.${secret}Secret`)]));
  return {
    path,
    initial: '',
    schema: { type: 'string' },
    comment,
    props: (url, read) => {
      const present = { token: given(read, 'token'), ca: given(read, 'ca') };
      return url === '' ? {} : write(read, secretsOf(name, read, present), 'release');
    },
    shapes: (read) => [
      { props: {} },
      ...shapesOfParts(valueAt(path), parts, (present) =>
        write(read, secretsOf(name, read, { ...always, ...present }), 'templates'),
      ),
    ],
  } satisfies ChartValue<InstallationProps>;
}

const netbox: Write = (read, secrets, of) => {
  const tag = read.text('netbox.tag');
  // the operator's argument joins them, so the tree puts those of the release for this one
  const fields = of === 'templates' ? { field: 'of-the-release' } : read.entries('netbox.fields');
  return {
    netbox: {
      url: read.text('netbox.url'),
      ...secrets,
      ...(tag === '' ? {} : { tag }),
      ...(Object.keys(fields).length === 0 ? {} : { fields }),
      refreshSeconds: read.number('netbox.refreshSeconds'),
      adopt: read.boolean('netbox.adopt'),
    },
  };
};

const cleanupEvents: Write = (read, secrets) => ({
  cleanupEvents: { url: read.text('cleanupEvents.url'), ...secrets },
});

const splunk: Write = (read, secrets) => {
  const index = read.text('splunk.index');
  return {
    splunk: {
      url: read.text('splunk.url'),
      ...secrets,
      ...(index === '' ? {} : { index }),
      source: read.text('splunk.source'),
      sourcetype: read.text('splunk.sourcetype'),
    },
  };
};

const CA = "Name of a Secret of ipam-system with the server's CA certificates in PEM; empty trusts the public ones.";
const secrets = (name: RelatedSystemName, token: string): Values => [
  ...secretValues(`${name}.token`, token, { name: '', key: 'token' }),
  ...secretValues(`${name}.ca`, CA, { name: '', key: 'ca.crt' }),
];

const cidrs = (name: RelatedSystemName, whose: string) =>
  part<InstallationProps>(
    `networkPolicy.${name}Cidrs`,
    { comment: `Networks of ${whose}; empty is any.`, initial: [], schema: TEXTS },
    (list) => ({ networkPolicy: { [`${name}Cidrs`]: list as readonly string[] } }),
  );

const FIELDS: JsonSchema = {
  propertyNames: { pattern: '^[a-z0-9_]{1,50}$' },
  additionalProperties: { type: 'string', pattern: '^[^,\\s]([^,\\x00-\\x1f]*[^,\\s])?$' },
};

const NETBOX: Values = [
  server(
    'netbox',
    {
      comment:
        'A NetBox whose zones are served, and which is told what is in use: its root, with https:// and without /api. It needs `zonePools: claims` and a token; empty is none.',
      optional: ['ca'],
    },
    netbox,
  ),
  ...secrets('netbox', 'Name of a Secret of ipam-system with the token of NetBox.'),
  part('netbox.tag', {
    comment: 'Name of a tag of NetBox that each prefix of ours gets, for permissions with constraints; empty is none.',
    initial: '',
  }),
  part('netbox.fields', {
    comment:
      'Custom fields that each prefix of ours gets beside k8s_uuid, k8s_zone and infra; empty is domain, env and purpose, each na.',
    initial: {},
    schema: FIELDS,
  }),
  part('netbox.refreshSeconds', {
    comment: `Seconds between two readings of the zones, and between two comparisons with the record, ${String(REFRESH.min)} to ${String(REFRESH.max)}.`,
    initial: REFRESH.default,
    schema: { minimum: REFRESH.min, maximum: REFRESH.max },
  }),
  part('netbox.adopt', {
    comment:
      'Whether prefixes that the original IPAM-API made are taken over. Only meant for the time in which its claims are imported.',
    initial: false,
  }),
  cidrs('netbox', 'NetBox'),
];

const SIGNALS: Values = [
  server(
    'cleanupEvents',
    {
      comment:
        'Stream of server-sent events, with https://, that end the claims of clusters which are gone; empty is none.',
      optional: ['token', 'ca'],
    },
    cleanupEvents,
  ),
  ...secrets('cleanupEvents', 'Name of a Secret of ipam-system with the bearer token; empty is no login.'),
  cidrs('cleanupEvents', 'the stream of events'),
  server(
    'splunk',
    {
      comment:
        'Splunk HTTP Event Collector, with https:// and without its path, that gets the log as well. It needs a token; empty is none.',
      optional: ['ca'],
    },
    splunk,
  ),
  ...secrets('splunk', 'Name of a Secret of ipam-system with the token of Splunk.'),
  part('splunk.index', { comment: 'Index of the events; empty is the one of the token.', initial: '' }),
  part('splunk.source', {
    comment: 'Field source of the events.',
    initial: OPTIONS.splunkSource.default,
    schema: { minLength: 1 },
  }),
  part('splunk.sourcetype', {
    comment: 'Field sourcetype of the events.',
    initial: OPTIONS.splunkSourcetype.default,
    schema: { minLength: 1 },
  }),
  cidrs('splunk', 'Splunk'),
];

/** Values of the servers beside the operator. */
export const RELATED_SYSTEM_VALUES: Values = [...NETBOX, ...SIGNALS];

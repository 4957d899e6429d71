import { Type, type Static } from '@sinclair/typebox';
import type { Refusal } from '../../../errors/outcome';
import { compiledOnUse } from '../../compiled-schema';
import { schemaProblems } from '../../schema-problems';
import { choice } from '../../vocabulary';
import { line, list, ONE, record } from './pieces';

const HASH = '^[0-9a-fA-F]{64}$';

const CLIENT = record(
  {
    name: line('name of the client, for logs and metrics'),
    role: choice(
      ['cluster', 'reader', 'admin'],
      'cluster: its own claims; reader: looks at everything; admin: everything',
    ),
    clusterUids: Type.Optional(
      list(line('UID of the namespace kube-system'), 100, 'clusters that the client speaks for'),
    ),
    operator: Type.Optional(
      Type.Boolean({
        description:
          'true: the client is an operator of this project, so its word counts for the labels of its namespaces and for the addresses that its Services have; else false',
      }),
    ),
    tokenSha256: Type.Optional(
      list(
        Type.String({ pattern: HASH, description: '64 hexadecimal digits' }),
        10,
        'SHA-256 of each token that counts; never the token',
      ),
    ),
    certificates: Type.Optional(
      list(
        record(
          {
            subject: Type.Optional(line('whole subject, for example CN=cluster-a,O=example')),
            san: Type.Optional(line('one alternative name, for example DNS:cluster-a.example or URI:spiffe://…')),
            spkiSha256: Type.Optional(
              Type.String({ pattern: HASH, description: '64 hexadecimal digits: SHA-256 of the public key' }),
            ),
          },
          'what a certificate of the client has; all that is named',
        ),
        10,
        'certificates that count',
      ),
    ),
    requestsPerSecond: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description: 'calls a second; else 50' }),
    ),
    burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'calls at once; else 200' })),
    clusterQuota: Type.Optional(
      Type.Integer({ minimum: 0, description: 'most addresses that each cluster of the client may hold' }),
    ),
    namespaceQuota: Type.Optional(
      Type.Integer({ minimum: 0, description: 'most addresses that each of its namespaces may hold' }),
    ),
    occupiedQuota: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'most addresses of one family of a zone that each cluster of the client may have on record as in use without a claim or contested; else half of them, clusterQuota or 1024, whichever is least',
      }),
    ),
  },
  'one client',
);
/** Schema of a clients document. */
export const CLIENTS_SCHEMA = record(
  { version: ONE, clients: list(CLIENT, 10_000, 'clients that may call') },
  'the clients document',
);

/** One client as its author writes it. */
export type ClientProps = Static<typeof CLIENT>;
/** A clients document, or all that is wrong with it. */
export type ClientsOutcome =
  | { readonly ok: true; readonly value: readonly ClientProps[] }
  | { readonly ok: false; readonly problems: readonly Refusal[] };

const validator = compiledOnUse(CLIENTS_SCHEMA);

/**
 * Checks a clients document.
 *
 * @param document - parsed YAML or JSON
 * @returns the clients, or every problem with its path; never a hash of a token
 */
export function parseClients(document: unknown): ClientsOutcome {
  const validate = validator();
  if (!validate(document)) {
    const problems = schemaProblems(validate.errors ?? [], 'settings/invalid').map((each) => hidden(each));
    return { ok: false, problems };
  }
  const problems = document.clients.flatMap((client, index) => clientProblems(document.clients, client, index));
  return problems.length === 0 ? { ok: true, value: document.clients } : { ok: false, problems };
}

// The token itself may stand where its hash belongs.
function hidden(problem: Refusal): Refusal {
  const { field = '' } = problem;
  if (!field.includes('tokenSha256')) return problem;
  return { code: problem.code, field, message: `${field}: must be the SHA-256 of a token, 64 hexadecimal digits` };
}

/** Says something of a member of a client. */
type Say = (field: string, message: string) => void;

function clientProblems(all: readonly ClientProps[], client: ClientProps, index: number): readonly Refusal[] {
  const problems: Refusal[] = [];
  const say: Say = (member, message) => {
    const field = `clients[${index}].${member}`;
    problems.push({ code: 'settings/invalid', field, message: `${field}: ${message}` });
  };
  if (all.findIndex(({ name }) => name === client.name) !== index) say('name', `"${client.name}" is given twice`);
  judgeClusters(client, say);
  judgeLogins(client, say);
  return problems;
}

function judgeClusters({ role, clusterUids = [], operator }: ClientProps, say: Say): void {
  if (role !== 'cluster' && operator !== undefined) say('operator', 'only a client of role cluster can be an operator');
  if (role === 'cluster' && clusterUids.length === 0) say('clusterUids', 'a client of role cluster needs one or more');
  if (role !== 'cluster' && clusterUids.length > 0) say('clusterUids', `a client of role ${role} has none`);
}

function judgeLogins({ tokenSha256 = [], certificates = [] }: ClientProps, say: Say): void {
  if (tokenSha256.length + certificates.length === 0) say('tokenSha256', 'missing; give tokenSha256 or certificates');
  for (const [index, certificate] of certificates.entries()) {
    if (Object.keys(certificate).length === 0) say(`certificates[${index}]`, 'must name subject, san or spkiSha256');
  }
}

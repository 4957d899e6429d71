import { readFileSync } from 'node:fs';
import { auditCaughtUp } from './audit-log';
import type { Manifest } from './cluster-client';
import type { ControlPlane } from './control-plane';

/** One request that the API server let through or refused, as far as rights go. */
export interface Use {
  readonly verb: string;
  readonly group: string;
  /** With the subresource, such as `services/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly status: number;
}

/** One verb on one resource, and on one object where the rule names objects. */
export interface Grant {
  readonly role: string;
  /** Absent for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
}

interface AuditLine {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: { readonly code?: number };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** Reads the calls of one user from an audit log. An apply that made an object counts as `create` too, since both are checked. */
export function usesIn(auditFile: string, user: string): readonly Use[] {
  const lines = readFileSync(auditFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as AuditLine).flatMap((line) => usesOf(line, user));
}

/** Reads all calls of one user until now, whatever the API server has not put on record yet. */
export async function usesUntilNow(plane: ControlPlane, user: string): Promise<readonly Use[]> {
  await auditCaughtUp(plane);
  return usesIn(plane.auditFile, user);
}

function usesOf({ user, verb, requestURI, responseStatus, objectRef }: AuditLine, wanted: string): readonly Use[] {
  if (user.username !== wanted) return [];
  const status = responseStatus?.code ?? 0;
  const nothing = { group: '', namespace: undefined, name: undefined };
  if (objectRef === undefined) return [{ verb, ...nothing, resource: requestURI, status }];
  const { resource, subresource, apiGroup = '', namespace, name } = objectRef;
  const words = subresource === undefined ? resource : `${resource}/${subresource}`;
  const use = { verb, group: apiGroup, resource: words, namespace, name, status };
  return verb === 'patch' && status === 201 ? [use, { ...use, verb: 'create', name: undefined }] : [use];
}

interface Rule {
  /** Absent where paths are meant in place of objects. */
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Takes the roles of an installation apart. */
export function grantsIn(objects: readonly Manifest[]): readonly Grant[] {
  return objects.filter(({ kind }) => ['Role', 'ClusterRole'].includes(kind)).flatMap(grantsOf);
}

function grantsOf({ kind, metadata, rules }: Manifest): readonly Grant[] {
  const role = `${kind} ${metadata.name}`;
  const namespace = kind === 'Role' ? metadata.namespace : undefined;
  return (rules as readonly Rule[]).flatMap(({ apiGroups = [], resources = [], resourceNames = [undefined], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => ({ role, namespace, verb, group, resource, name }))),
      ),
    ),
  );
}

const covers = (grant: Grant, use: Use): boolean =>
  grant.verb === use.verb &&
  grant.group === use.group &&
  grant.resource === use.resource &&
  [undefined, use.namespace].includes(grant.namespace) &&
  [undefined, use.name].includes(grant.name);

const narrowness = ({ namespace, name }: Grant): number =>
  (namespace === undefined ? 0 : 1) + (name === undefined ? 0 : 2);

/** Finds the narrowest right that allows a request, so that a wide one counts as used only where no other would do. */
export function grantFor(use: Use, grants: readonly Grant[]): Grant | undefined {
  return grants.filter((grant) => covers(grant, use)).sort((a, b) => narrowness(b) - narrowness(a))[0];
}

/** One line for people, equal for equal rights of two shapes. */
export function textOf({ verb, group, resource, namespace, name }: Grant | Use): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}${where}`;
}

import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';

import type { KindDeclaration } from '../../operator/contract/crd-manifest';
import type { ErrorCode } from '../../operator/errors/catalogue';
import type { Refusal } from '../../operator/errors/outcome';
import { registerObject, takenNameProblems, type ObjectOfApp } from '../app/app-objects';
import { refuseForeignTwins } from '../app/foreign-objects';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { scopeOf } from '../objects/kind-scopes';
import { clusterScoped } from '../objects/names';
import { idProblems } from '../props-kit/id-as-name';
import { DNS_NAME } from '../props-kit/kubernetes-values';
import type { ReadProps } from '../props-kit/rule';

/** A manifest of one of our kinds. */
export interface KindManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Metadata of an object beside its name. */
interface ObjectProps {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Kind, metadata and spec of an object. */
export interface DeclaredObject {
  readonly kind: Pick<KindDeclaration<never>, 'group' | 'version' | 'kind'>;
  readonly name: string;
  readonly props: ObjectProps;
  readonly spec: object;
}

/**
 * Writes an object.
 *
 * @param of - kind, metadata and spec
 * @returns the manifest, as synth writes it
 */
export function kindManifest({ kind: { group, version, kind }, name, props, spec }: DeclaredObject): KindManifest {
  const { namespace, labels, annotations } = props;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined || Object.keys(annotations).length === 0
        ? {}
        : { annotations: { ...annotations } }),
    },
    spec: { ...spec },
  };
}

/** Props as they were read, with the checks that need more than one of them. */
export interface JudgedProps<P> {
  readonly valid: P;
  readonly problems: readonly Refusal[];
  /** True where the object can be compared with others. */
  readonly isSound: boolean;
}

/**
 * Judges the props of an object and the manifest that is made of them.
 *
 * @param read - as plain JavaScript may have given them
 * @param id - of the construct
 * @param rest - code of the construct, and the check of the manifest
 * @returns every problem at once
 */
export function judgedProps<P extends object>(
  read: ReadProps<P>,
  id: string,
  rest: { readonly code: ErrorCode; readonly problemsOf: (valid: P) => readonly Refusal[] },
): JudgedProps<P> {
  const { valid, problems, malformed } = read;
  if (malformed) return { valid, problems, isSound: false };
  const wrong = [...idProblems(read, id, { judge: DNS_NAME, code: rest.code }), ...rest.problemsOf(valid)];
  return { valid, problems: [...problems, ...wrong], isSound: wrong.length === 0 };
}

/**
 * Declares the objects of a construct, and lets synth refuse what is wrong with them.
 *
 * @param construct - becomes their parent
 * @param manifests - one for each, by the id of its construct
 * @param rest - cluster, code, and what is wrong beside taken names
 * @returns the objects, in their order
 */
export function declareObjects(
  construct: Construct,
  manifests: Readonly<Record<string, KindManifest>>,
  rest: {
    readonly cluster: string | undefined;
    readonly code: ErrorCode;
    readonly problems: () => readonly Refusal[];
  },
): readonly ApiObject[] {
  const { cluster, code, problems } = rest;
  const named = Object.entries(manifests).map(([id, manifest]): ObjectOfApp => {
    const object = new ApiObject(construct, id, manifest);
    const { apiGroup: group, kind, name } = object;
    const isClusterScoped = scopeOf({ group, kind, name, namespace: '' }) === 'cluster';
    const namespace = isClusterScoped ? '' : (object.metadata.namespace ?? '');
    return {
      construct,
      object: isClusterScoped ? clusterScoped(object) : object,
      namespace,
      cluster,
      field: 'name',
      code,
    };
  });
  named.forEach(registerObject);
  refuseForeignTwins(construct, cluster);
  writeAppForEveryReader(construct);
  construct.node.addValidation({
    validate: () => [...problems(), ...named.flatMap(takenNameProblems)].map(({ message }) => message),
  });
  return named.map(({ object }) => object);
}

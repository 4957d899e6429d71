import * as pulumi from '@pulumi/pulumi';

import type { ApiManifest } from '../../constructs/render/objects/ordered-objects';
import { annotated } from './awaiting';
import type { ResourceInputs } from './resource-classes';

/**
 * Annotation that names the stack of an object. Two stacks with one object disagree about it, and by server-side apply the API server
 * refuses the second one: where all values are equal, both would own the object, and the destroy of one would delete it.
 */
export const STACK = 'cdk8s-ipam/stack';

/**
 * Annotation that names the component of an object. Under another name or parent, without `aliases`, Pulumi takes a component for a new
 * one, applies its objects again and then deletes them as those of the old one. The two disagree about this annotation, so the API server
 * refuses the new one before anything is deleted: the provider writes each resource under a field manager of its own.
 */
export const COMPONENT = 'cdk8s-ipam/component';

/**
 * Names the stack that is running.
 *
 * @returns organization, project and stack
 */
export function thisStack(): string {
  return [organization(), pulumi.getProject(), pulumi.getStack()].join('/');
}

// Unit tests of programs run without one, and so do engines that know none.
function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return 'organization';
  }
}

/**
 * Marks an object as one of this stack.
 *
 * @param object - any object, which stays as it is
 * @returns the object with its annotation
 */
export function ofThisStack(object: ApiManifest): ApiManifest {
  return annotated(object, { [STACK]: thisStack() });
}

/** A component, as its URN tells it. */
export interface ComponentPlace {
  readonly name: string;
  readonly opts: pulumi.ComponentResourceOptions | undefined;
}

const ROOT = 'pulumi:pulumi:Stack::';

/**
 * Names a component by its name and its parents.
 *
 * @param component - name and options
 * @param component.name - as it was given
 * @param component.opts - with its parent
 * @returns the part of its URN that a program decides
 */
export function placeOf({ name, opts }: ComponentPlace): pulumi.Input<string> {
  const parent = opts?.parent;
  if (parent === undefined) return name;
  // a promise, since an Output of the parent would make the object wait for all children of the parent, and so for itself
  return new Promise((resolve) => {
    parent.urn.apply((urn) => {
      const path = urn.split('::').slice(2).join('::');
      // what has the stack as its parent has the URN of what has none
      resolve(path.startsWith(ROOT) ? name : `${path}/${name}`);
    });
  });
}

/** Inputs of any object. */
interface ObjectInputs {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
}

/**
 * Marks the inputs of an object as those of a component.
 *
 * @param inputs - of any resource, which stay as they are
 * @param component - whose object it is
 * @returns the inputs with the annotation
 */
export function ofComponent(inputs: ResourceInputs, component: ComponentPlace): ResourceInputs {
  const { metadata } = inputs as ObjectInputs;
  const marked: ObjectInputs = {
    metadata: { ...metadata, annotations: { ...metadata?.annotations, [COMPONENT]: placeOf(component) } },
  };
  return { ...inputs, ...marked } as ResourceInputs;
}

// The sections of the settings page, in their order. A new one is a component and a line here.

import type { Component } from 'svelte'
import { words } from '../words'
import About from './About.svelte'
import Agents from './Agents.svelte'
import Appearance from './Appearance.svelte'
import Behaviour from './Behaviour.svelte'
import Models from './Models.svelte'
import Moving from './Moving.svelte'
import Notifications from './Notifications.svelte'
import Rules from './Rules.svelte'
import SignInSection from './SignInSection.svelte'
import Storage from './Storage.svelte'

export interface Section {
  /** Its address: /settings#id. */
  id: string
  words: () => { title: string; about: string }
  body: Component
}

export const SECTIONS: readonly Section[] = [
  { id: 'agents', words: () => words.settings.agents, body: Agents },
  { id: 'models', words: () => words.settings.models, body: Models },
  { id: 'appearance', words: () => words.settings.appearance, body: Appearance },
  { id: 'behaviour', words: () => words.settings.behaviour, body: Behaviour },
  { id: 'notifications', words: () => words.settings.notifications, body: Notifications },
  { id: 'rules', words: () => words.settings.rules, body: Rules },
  { id: 'moving', words: () => words.settings.moving, body: Moving },
  {
    id: 'storage',
    words: () => ({ title: words.keeping.storage.section, about: words.keeping.storage.about }),
    body: Storage,
  },
  { id: 'sign-in', words: () => words.settings.signIn, body: SignInSection },
  {
    id: 'about',
    words: () => ({ title: words.keeping.about.section, about: words.keeping.about.about }),
    body: About,
  },
]

import { mount } from 'svelte'
import App from './App.svelte'
import './tokens.css'
import './page.css'
import './prose.css'

const page = document.getElementById('page')
if (page === null) throw new Error('index.html has no element with the id "page".')
mount(App, { target: page })
